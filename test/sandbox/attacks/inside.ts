import { type Attack, attacks } from './attack.ts';

const denied = /^error ERR_ACCESS_DENIED$/;

const files = attacks(denied, {
  'read the passwords of the machine': `return require('fs').readFileSync('/etc/shadow', 'utf8');`,
  'read a file by a path with dots': `return require('fs').readFileSync('/code/../etc/passwd', 'utf8');`,
  'read a file by a path of bytes': `return require('fs').readFileSync(Buffer.from('/etc/passwd'), 'utf8');`,
  'read a file by an address': `return require('fs').readFileSync(new URL('file:///etc/passwd'), 'utf8');`,
  'open a file as a blob': `return (await (await require('fs').openAsBlob('/etc/passwd')).text());`,
  'read by a promise': `return (await require('fs/promises').readFile('/etc/passwd', 'utf8'));`,
  'list the root': `return require('fs').readdirSync('/');`,
  'list the place of the old root': `return require('fs').readdirSync('/old');`,
  'watch the root': `return String(require('fs').watch('/'));`,
  'change its own code': `require('fs').writeFileSync('/code/main.mjs', '');`,
  'change the runtime': `require('fs').writeFileSync('/runtime/runtime.mjs', '');`,
  'leave a socket beside the one of the gateway': `require('fs').writeFileSync('/run/other.sock', '');`,
  'lead out by a symbolic link': `require('fs').symlinkSync('/etc/passwd', '/tmp/link');`,
  'lead out by a relative symbolic link': `require('fs').symlinkSync('../etc/passwd', '/tmp/link');`,
  'lead out by a hard link': `require('fs').linkSync('/node', '/tmp/node');`,
  'copy a folder into its own': `require('fs').cpSync('/etc', '/tmp/etc', { recursive: true });`,
  'read the environment of its process': `return require('fs').readFileSync('/proc/self/environ', 'utf8');`,
  'read the memory of its process': `return require('fs').openSync('/proc/self/mem', 'r+');`,
  'read the map of its memory': `return require('fs').readFileSync('/proc/self/maps', 'utf8');`,
  'read through the root of a process': `return require('fs').readFileSync('/proc/1/root/etc/passwd', 'utf8');`,
  'read the memory of the kernel': `return require('fs').openSync('/proc/kcore');`,
  'change a number of the kernel': `require('fs').writeFileSync('/proc/sys/kernel/core_pattern', '|/tmp/x');`,
  'find another socket of the gateway': `return String(require('fs').readdirSync('/run'));`,
  'read the devices of the machine': `return require('fs').readdirSync('/sys/class/net');`,
});

const processes = attacks(denied, {
  'start a shell': `require('child_process').execSync('id');`,
  'start a program': `require('child_process').spawn('/node', ['-v']);`,
  'start itself again': `require('child_process').fork('/runtime/runtime.mjs');`,
  'start a cluster': `require('cluster').fork();`,
  'start a thread': `new (require('worker_threads').Worker)('1', { eval: true });`,
  'bomb with processes': `for (let at = 0; at < 1000; at++) require('child_process').spawn('/node', ['-e', 'for(;;);']);`,
  'bomb with threads': `for (let at = 0; at < 1000; at++) new (require('worker_threads').Worker)('for(;;);', { eval: true });`,
  'reach the parts below Node.js': `return String(process.binding('spawn_sync'));`,
  'attach the inspector': `new (require('inspector').Session)().connect();`,
  'run with the system interface of WebAssembly': `new (require('wasi').WASI)({ version: 'preview1', preopens: { '/': '/' } });`,
});

const rights = [
  ...attacks(/^error (ERR_DLOPEN_DISABLED|ERR_ACCESS_DENIED)$/, {
    'load native code': `require('fs').writeFileSync('/tmp/a.node', 'x'); process.dlopen({ exports: {} }, '/tmp/a.node');`,
    'require native code': `require('fs').writeFileSync('/tmp/b.node', 'x'); require('/tmp/b.node');`,
  }),
  ...attacks(/^error (EPERM|EINVAL)$/, {
    'become another user': 'process.setuid(1);',
    'become a user of the machine': 'process.setuid(1000);',
    'join groups': 'process.setgroups([1]);',
  }),
  ...attacks(/^error ERR_SYSTEM_ERROR$/, { 'take processors from others': `require('os').setPriority(0, -20);` }),
  ...attacks(/^error (ESRCH|EPERM)$/, {
    'kill a process of the machine': `process.kill(2, 'SIGKILL');`,
    'kill the process that started it': `process.kill(Number(request.headers.get('x-gateway')), 'SIGKILL');`,
  }),
  ...attacks(/^value (none|lives)$/, {
    'kill every process': `try { process.kill(-1, 'SIGKILL'); } catch {} return 'lives';`,
    'stop its own process': `process.kill(process.pid, 'SIGSTOP'); return 'lives';`,
    'open the inspector by a signal': `process.kill(process.pid, 'SIGUSR1'); await new Promise((r) => setTimeout(r, 200)); return 'lives';`,
    'find a parent': `return process.ppid === 0 ? 'none' : String(process.ppid);`,
    'find the environment of the gateway': `return Object.keys(process.env).some((name) => !['HOME', 'TMPDIR', 'NODE_ENV'].includes(name)) ? JSON.stringify(process.env) : 'none';`,
    'find the name of the machine': `return require('os').hostname() === 'box' ? 'none' : require('os').hostname();`,
    'find an interface of a network': `return Object.keys(require('os').networkInterfaces()).length === 0 ? 'none' : 'some';`,
    'find the user of the gateway': `return require('os').userInfo().username === 'function' ? 'none' : require('os').userInfo().username;`,
  }),
];

const space = [
  ...attacks(/^error (EFBIG|ENOSPC)$/, {
    'fill the disk with one file': `const fs = require('fs'); const file = fs.openSync('/tmp/large', 'w');
      try { for (;;) fs.writeSync(file, Buffer.alloc(1 << 20)); } finally { fs.closeSync(file); fs.rmSync('/tmp/large'); }`,
  }),
  ...attacks(/^error ENOSPC$/, {
    'fill the disk with many files': `const fs = require('fs'); let at = 0;
      try { for (;; at++) fs.writeFileSync('/tmp/many' + at, Buffer.alloc(8 << 20)); } finally { for (; at >= 0; at--) fs.rmSync('/tmp/many' + at, { force: true }); }`,
    'use up all inodes': `const fs = require('fs'); let at = 0;
      try { for (;; at++) fs.writeFileSync('/tmp/empty' + at, ''); } finally { for (; at >= 0; at--) fs.rmSync('/tmp/empty' + at, { force: true }); }`,
  }),
  ...attacks(/^error (EMFILE|ENFILE)$/, {
    'use up all descriptors': `const fs = require('fs'); fs.writeFileSync('/tmp/one', ''); const open = [];
      try { for (;;) open.push(fs.openSync('/tmp/one')); } finally { for (const file of open) fs.closeSync(file); }`,
  }),
  ...attacks(/^error RangeError$/, {
    'take memory by one buffer': 'return new ArrayBuffer(2 ** 31).byteLength;',
    'take memory by many buffers': 'const all = []; for (;;) all.push(new Uint8Array(16 << 20).fill(1));',
    'take memory by WebAssembly':
      'const all = []; for (;;) all.push(new WebAssembly.Memory({ initial: 1024, maximum: 1024 }));',
    'take memory by shared buffers':
      'const all = []; for (;;) all.push(new Uint8Array(new SharedArrayBuffer(16 << 20)).fill(1));',
  }),
];

/** Attacks that a process survives: they share one, in this order. */
export const insideAttacks: readonly Attack[] = [...files, ...processes, ...rights, ...space];
