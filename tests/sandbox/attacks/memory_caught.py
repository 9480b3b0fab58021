# expect: memory_limit
hoard = []
try:
    while True:
        hoard.append(bytearray(1 << 20))
except MemoryError:
    print(7)
