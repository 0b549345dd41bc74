# Makes the box from inside its namespaces, where it has every right over them and none over the machine, and becomes
# what runs in it.
set -eu
box=$1 image=$2 node=$3 code=$4 run=$5
shift 6
mount --make-rprivate /
mount -o bind,ro,nosuid,nodev "$image" "$box"
mount -o bind,ro,nosuid,nodev "$node" "$box/node"
mount -o bind,ro,nosuid,nodev,noexec "$code" "$box/code"
mount -o bind,ro,nosuid,nodev,noexec "$run" "$box/run"
mount -t tmpfs -o size=32m,nr_inodes=4k,mode=1777,nosuid,nodev,noexec tmpfs "$box/tmp"
mount -t proc -o nosuid,nodev,noexec proc "$box/proc"
# Where the machine runs out of memory, boxes go first.
echo 1000 > "$box/proc/self/oom_score_adj"
# A number of this namespace, not of the machine: no further one can be made in it.
echo 0 > "$box/proc/sys/user/max_user_namespaces"
# The name of the machine is nothing for it to know. Not every machine has the tool.
hostname box || true
cd "$box"
pivot_root . old
/tools/umount -l /old
cd /
unset PATH OLDPWD
# Rights end with this step; nothing that runs later can gain one.
exec /tools/setpriv --bounding-set=-all --inh-caps=-all --no-new-privs /node "$@"
