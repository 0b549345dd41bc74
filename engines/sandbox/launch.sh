# Starts a box from outside. UID is empty for an ordinary user, whose own the box stays. As root it is one that no other
# process has, in a mount namespace of its own, and what the box is made of is bound to one place first: that user may
# not reach the folders it lies in.
set -eu
script=$1 uid=$2 slot=$3 image=$4 node=$5 bytes=$6 largest=$7 root=$8
shift 8
code=$slot/code run=$slot/run box=$slot/box rights=

if [ -n "$uid" ]; then
  stage=$slot/stage
  mount -t tmpfs -o size=64k,mode=755,nosuid tmpfs "$stage"
  mkdir "$stage/image" "$stage/code" "$stage/run" "$stage/box"
  : > "$stage/node"
  mount --bind "$image" "$stage/image"
  mount --bind "$node" "$stage/node"
  mount --bind "$code" "$stage/code"
  mount --bind "$run" "$stage/run"
  if [ -n "$root" ]; then
    mkdir "$stage/root"
    mount --bind "$root" "$stage/root"
    root=/tmp/root
  fi
  # Every machine has this folder, and every user may reach it.
  mount --rbind "$stage" /tmp
  image=/tmp/image node=/tmp/node code=/tmp/code run=/tmp/run box=/tmp/box
  rights="--reuid $uid --regid $uid --clear-groups"
fi

# Limits are set inside, where processes are counted from nothing. The data segment holds heap, buffers, WebAssembly and
# shared memory, but not what V8 only reserves. A box ends with the gateway, whatever the gateway dies of.
# shellcheck disable=SC2086
exec setpriv $rights --pdeathsig KILL unshare -U -r -n -p -m -i -u -C --fork --kill-child=KILL \
  prlimit --data="$bytes" --nproc=64 --nofile=512 --fsize="$largest" --core=0 \
  sh -c "$script" box "$box" "$image" "$node" "$code" "$run" "$root" "$@"
