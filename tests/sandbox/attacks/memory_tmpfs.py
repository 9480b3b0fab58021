# expect: memory_limit
# Files in memory are memory.
with open("/tmp/big", "wb") as file:
    while True:
        file.write(bytes(1 << 20))
