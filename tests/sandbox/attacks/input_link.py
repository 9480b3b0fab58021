# expect: exited 0
# stdout: done
# Links in the work folder; the test reads `link` and writes to `folder/file` afterwards.
import os

os.symlink("/etc/passwd", "/work/link")
os.symlink("/etc", "/work/folder")
os.mkfifo("/work/fifo")
print("done")
