import { boot, type Cause, failed, uncaught } from './cause.ts';

/** Errors of the runtime and of libraries. */
export const runtimeCauses: readonly Cause[] = [
  uncaught(
    'connection-refused',
    `
    import net from 'node:net';
    function dial(v) { return new Promise((_done, fail) => net.connect({ host: '127.0.0.1', port: 1 + (v.n % 7) }).on('error', fail)); }
    export async function handler(v) { await dial(v); }`,
  ),
  uncaught(
    'fetch-refused',
    `
    async function loadFeed(v) { return fetch('http://127.0.0.1:' + (9 + (v.n % 3)) + '/' + v.id); }
    export async function handler(v) { await loadFeed(v); }`,
  ),
  uncaught(
    'fetch-aborted',
    `
    import http from 'node:http';
    async function slowCall(v) { const s = http.createServer(() => {}); await new Promise((r) => s.listen(0, '127.0.0.1', r));
      try { return await fetch('http://127.0.0.1:' + s.address().port + '/' + v.id, { signal: AbortSignal.timeout(20) }); } finally { s.closeAllConnections(); s.close(); } }
    export async function handler(v) { await slowCall(v); }`,
  ),
  uncaught(
    'file-missing',
    `
    import { readFile } from 'node:fs/promises';
    async function loadTemplate(v) { return readFile(v.path + '/invoice.html'); }
    export async function handler(v) { await loadTemplate(v); }`,
  ),
  uncaught(
    'file-missing-sync',
    `
    import { readFileSync } from 'node:fs';
    function readCertificate(v) { return readFileSync(v.path + '/tls.pem', 'utf8'); }
    export async function handler(v) { return readCertificate(v); }`,
  ),
  uncaught(
    'directory-not-empty',
    `
    import { mkdirSync, rmdirSync } from 'node:fs';
    function dropCache(v) { mkdirSync(v.scratch + '/a' + v.n + '/b', { recursive: true }); rmdirSync(v.scratch + '/a' + v.n); }
    export async function handler(v) { dropCache(v); }`,
  ),
  uncaught(
    'program-missing',
    `
    import { execFile } from 'node:child_process'; import { promisify } from 'node:util';
    async function convertVideo(v) { return promisify(execFile)('ffmpeg-' + v.n, ['-i', v.path]); }
    export async function handler(v) { await convertVideo(v); }`,
  ),
  uncaught(
    'assertion',
    `
    import assert from 'node:assert';
    function checkInvariant(v) { assert.ok(v.n < 0, 'balance of ' + v.id + ' is ' + v.n); }
    export async function handler(v) { checkInvariant(v); }`,
  ),
  uncaught(
    'bad-argument',
    `
    import { createHash } from 'node:crypto';
    function digestOf(v) { return createHash('sha256').update(v.n); }
    export async function handler(v) { return digestOf(v); }`,
  ),
  uncaught(
    'bad-cipher-key',
    `
    import { createDecipheriv } from 'node:crypto';
    function unseal(v) { return createDecipheriv('aes-256-gcm', Buffer.alloc(v.n % 30), Buffer.alloc(12)); }
    export async function handler(v) { return unseal(v); }`,
  ),
  uncaught(
    'zlib-header',
    `
    import { gunzipSync } from 'node:zlib';
    function inflateUpload(v) { return gunzipSync(Buffer.from(v.text)); }
    export async function handler(v) { return inflateUpload(v); }`,
  ),
  uncaught(
    'data-clone',
    `
    function shareState(v) { return structuredClone({ id: v.uuid, act() {} }); }
    export async function handler(v) { return shareState(v); }`,
  ),
  uncaught(
    'vm-timeout',
    `
    import vm from 'node:vm';
    function runRule(v) { return vm.runInNewContext('for(;;);', {}, { timeout: 5 + (v.n % 9), filename: v.word + '.js' }); }
    export async function handler(v) { return runRule(v); }`,
  ),
  uncaught(
    'eval-syntax',
    `
    function compileRule(v) { return new Function('return ' + v.n + ' +* 2'); }
    export async function handler(v) { return compileRule(v); }`,
  ),
  uncaught(
    'worker-error',
    `
    import { Worker } from 'node:worker_threads';
    function runWorker(v) { return new Promise((_done, fail) => new Worker('function crunch(n) { throw new RangeError("chunk " + n + " is out of range"); } crunch(' + v.n + ');', { eval: true }).on('error', fail)); }
    export async function handler(v) { await runWorker(v); }`,
  ),
  uncaught(
    'worker-exit',
    `
    import { Worker } from 'node:worker_threads';
    function superviseWorker(v) { return new Promise((_done, fail) => new Worker('process.exit(' + (1 + (v.n % 9)) + ')', { eval: true }).on('exit', (code) => fail(new Error('Worker stopped with exit code ' + code)))); }
    export async function handler(v) { await superviseWorker(v); }`,
  ),
  uncaught(
    'timer-callback',
    `
    function refreshToken(v) { throw new Error('token ' + v.hex + ' expired at ' + v.date); }
    export function handler(v) { return new Promise((_done, fail) => setTimeout(() => { try { refreshToken(v); } catch (error) { fail(error); } }, 1)); }`,
  ),
  uncaught(
    'emitter',
    `
    import { EventEmitter } from 'node:events';
    class Importer extends EventEmitter { feed(v) { this.emit('error', new Error('line ' + v.n + ' has ' + v.m + ' columns')); } }
    export async function handler(v) { new Importer().feed(v); }`,
  ),
  uncaught(
    'stream-pipeline',
    `
    import { pipeline } from 'node:stream/promises'; import { Readable, Transform } from 'node:stream';
    function splitLines(v) { return new Transform({ transform(_c, _e, done) { done(new Error('line longer than ' + v.n + ' bytes')); } }); }
    async function importFile(v) { await pipeline(Readable.from([v.text]), splitLines(v), async function* (s) { yield* s; }); }
    export async function handler(v) { await importFile(v); }`,
  ),
  uncaught(
    'zod-parse',
    `
    import { z } from 'zod';
    const Settings = z.object({ port: z.number(), host: z.string() });
    function readSettings(v) { return Settings.parse({ port: v.word, host: v.ip }); }
    export async function handler(v) { return readSettings(v); }`,
  ),
  uncaught(
    'jwt-malformed',
    `
    import { jwtVerify } from 'jose';
    async function verifySession(v) { return jwtVerify(v.hex + '.' + v.word, new Uint8Array(32)); }
    export async function handler(v) { await verifySession(v); }`,
  ),
  uncaught(
    'graphql-syntax',
    `
    import { parse } from 'graphql';
    function parseDocument(v) { return parse('{ a(id: "' + v.uuid + '") { ) }'); }
    export async function handler(v) { return parseDocument(v); }`,
  ),
  uncaught(
    'pg-refused',
    `
    import pg from 'pg';
    async function openPool(v) { const c = new pg.Client({ host: '127.0.0.1', port: 1 + (v.n % 5), user: v.word }); await c.connect(); }
    export async function handler(v) { await openPool(v); }`,
  ),
  uncaught(
    'dataloader-shape',
    `
    import DataLoader from 'dataloader';
    async function loadAuthor(v) { return new DataLoader(async () => [1, 2, 3]).load(v.uuid); }
    export async function handler(v) { return loadAuthor(v); }`,
  ),
  uncaught(
    'mail-refused',
    `
    import nodemailer from 'nodemailer';
    async function sendReceipt(v) { return nodemailer.createTransport({ host: '127.0.0.1', port: 2 + (v.n % 5) }).sendMail({ from: v.email, to: v.email, text: v.text }); }
    export async function handler(v) { await sendReceipt(v); }`,
  ),
  boot(
    'module-missing',
    `
    import { createRequire } from 'node:module';
    const require = createRequire(import.meta.url);
    export async function handler(v) { return require('left-pad-' + 'missing'); }`,
  ),
  boot(
    'file-module-missing',
    `
    export async function handler(v) { return import(v.path + '/plugins.mjs'); }`,
  ),
  boot(
    'environment-missing',
    `
    function requireSetting(name) { if (!process.env[name]) throw new Error('Environment variable ' + name + ' is not set'); }
    function readEnvironment() { requireSetting('STRIPE_SECRET'); }
    export async function handler(v) { readEnvironment(v); }`,
  ),
  boot(
    'wasm-magic',
    `
    async function loadDecoder(v) { return WebAssembly.compile(new Uint8Array([v.n & 255, 1, 2, 3, 4, 5, 6, 7])); }
    export async function handler(v) { await loadDecoder(v); }`,
  ),
  failed(
    'runtime-timeout',
    `
    class FunctionTimeout extends Error { name = 'FunctionTimeout'; }
    export async function handler(v) { const e = new FunctionTimeout('function did not answer within ' + v.n + ' ms (request ' + v.uuid + ')'); e.stack = ''; throw e; }`,
  ),
  failed(
    'runtime-memory',
    `
    class OutOfMemory extends Error { name = 'OutOfMemory'; }
    export async function handler(v) { const e = new OutOfMemory('worker ' + v.n + ' reached its heap limit of ' + v.m + ' MB'); e.stack = ''; throw e; }`,
  ),
  failed(
    'runtime-envelope',
    `
    class InvalidEnvelope extends Error { name = 'InvalidEnvelope'; }
    export async function handler(v) { const e = new InvalidEnvelope('answer of ' + v.n + ' bytes is no envelope'); e.stack = ''; throw e; }`,
  ),
];
