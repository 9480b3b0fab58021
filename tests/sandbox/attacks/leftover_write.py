# expect: exited 0
# stdout: done
# Leaves notes everywhere for leftover_write_read.py, which runs next.
import os
for path in ('/tmp/note', '/dev/shm/note', '/var/tmp/note', '/dev/note', '/run/note', '/note'):
    try:
        open(path, 'w').write('note')
    except OSError:
        pass
print('done')
