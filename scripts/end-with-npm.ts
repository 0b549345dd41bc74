/**
 * Loaded in front of what a script of package.json runs (`node --import`): ends it, as SIGTERM would, when npm is gone.
 * npm passes SIGTERM and SIGINT on by itself, to a script that begins with `exec`: without that a shell takes the signal
 * and dies alone. A killed npm passes nothing on; its child then gets another parent, and that is looked at here.
 *
 * Only a process that npm started loads this: one that was started by hand may outlive its parent.
 */
const everyMs = 500;

const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, everyMs);
watch.unref();
