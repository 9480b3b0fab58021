# expect: idle_limit
import time

time.sleep(60)
