# Makes the box of a command from inside its namespaces: the folders of a root file system, read-only, with its own in the
# place of those that would lead out of it, and becomes what starts the command.
set -eu
box=$1 image=$2 node=$3 code=$4 root=$6 size=$7
shift 7
mount --make-rprivate /
mount -t tmpfs -o size=1m,nr_inodes=1k,mode=755,nosuid,nodev tmpfs "$box"
for entry in "$root"/*; do
  name=${entry##*/}
  case $name in
    dev | in | old | out | proc | run | svc | sys | tmp) ;;
    *)
      if [ -L "$entry" ]; then
        cp -P "$entry" "$box/$name"
      elif [ -d "$entry" ]; then
        mkdir "$box/$name"
        mount -o bind,ro,nosuid,nodev "$entry" "$box/$name"
      fi
      ;;
  esac
done
mkdir "$box/dev" "$box/in" "$box/old" "$box/out" "$box/proc" "$box/svc" "$box/tmp"
# What starts the command, with the libraries that it needs: the root has none, or others.
mount -o bind,ro,nosuid,nodev "$image" "$box/svc"
mount -o bind,ro,nosuid,nodev "$node" "$box/svc/node"
mount -o bind,ro,nosuid,nodev,noexec "$code" "$box/in"
for folder in out tmp; do
  mount -t tmpfs -o size="$size",nr_inodes=16k,mode=1777,nosuid,nodev tmpfs "$box/$folder"
done
for device in full null random urandom zero; do
  : > "$box/dev/$device"
  mount --bind "/dev/$device" "$box/dev/$device"
done
mount -t proc -o nosuid,nodev,noexec proc "$box/proc"
echo 1000 > "$box/proc/self/oom_score_adj"
echo 0 > "$box/proc/sys/user/max_user_namespaces"
hostname box || true
loader=$(cd "$image/lib" && echo ld-*.so*)
svc="/svc/lib/$loader --library-path /svc/lib"
mount -o remount,bind,ro "$box"
cd "$box"
pivot_root . old
$svc /svc/tools/umount -l /old
cd /
unset PATH OLDPWD
# Rights end with this step; nothing that runs later can gain one. This shell stays as the first process of the box: it
# takes in what the command leaves behind, which would count as its processes for ever, and ends everything with itself.
# Nobody inside can send it a signal or look into it.
# shellcheck disable=SC2086
$svc /svc/tools/setpriv --bounding-set=-all --inh-caps=-all --no-new-privs $svc /svc/node "$@"
exit $?
