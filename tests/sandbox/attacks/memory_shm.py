# expect: memory_limit
with open("/dev/shm/big", "wb") as file:
    while True:
        file.write(bytes(1 << 20))
