import { anywhere, boot, type Cause, failed, uncaught } from './cause.ts';
import { laterCauses } from './later-causes.ts';

/** Errors that engines raise by themselves. */
const engine: readonly Cause[] = [
  anywhere(
    'undefined-user-id',
    `
    function userId(session) { return session.user.id; }
    async function loadCart(v) { await null; return userId({ token: v.hex }); }
    export async function handler(v) { return loadCart(v); }`,
  ),
  anywhere(
    'undefined-order-id',
    `
    function orderTotal(order) { return order.lines[0].price.amount; }
    function checkoutTotal(v) { return orderTotal({ lines: [{ sku: v.id }] }); }
    export async function handler(v) { return checkoutTotal(v); }`,
  ),
  anywhere(
    'null-profile-name',
    `
    const profiles = new Map();
    function displayName(key) { return (profiles.get(key) ?? null).name.trim(); }
    export function handler(v) { return [v.uuid].map((key) => displayName(key)); }`,
  ),
  anywhere(
    'not-a-function',
    `
    class Mailer { constructor(transport) { this.transport = transport; } deliver(m) { return this.transport.send(m); } }
    async function notifyOwner(v) { const mailer = new Mailer({ port: v.port }); return mailer.deliver({ to: v.email }); }
    export async function handler(v) { await notifyOwner(v); }`,
  ),
  anywhere(
    'not-iterable',
    `
    function mergeTags(post) { const all = []; for (const tag of post.tags) all.push(tag); return all; }
    export async function handler(v) { return mergeTags({ tags: v.n, id: v.uuid }); }`,
  ),
  anywhere(
    'not-a-constructor',
    `
    function openStore(options) { const Store = options.stores[options.kind] ?? 5; return new Store(options); }
    export async function handler(v) { return openStore({ stores: {}, kind: v.word }); }`,
  ),
  anywhere(
    'not-defined',
    `
    function renderInvoice(v) { return formatCurrency(v.n); }
    export async function handler(v) { return renderInvoice(v); }`,
  ),
  anywhere(
    'tdz',
    `
    function startQueue(v) { const size = queueLimit * v.n; const queueLimit = 3; return size; }
    export async function handler(v) { return startQueue(v); }`,
  ),
  anywhere(
    'getter-only',
    `
    class Counter { get attempts() { return 1; } }
    function resetCounter(v) { new Counter().attempts = v.n; }
    export async function handler(v) { return resetCounter(v); }`,
  ),
  anywhere(
    'destructure-undefined',
    `
    function connectOptions({ host: { name } }) { return name; }
    function openConnection(v) { return connectOptions({ port: v.port }); }
    export async function handler(v) { return openConnection(v); }`,
  ),
  anywhere(
    'stack-overflow-one',
    `
    function countNodes(node) { return 1 + countNodes(node.parent ?? node); }
    export async function handler(v) { return countNodes({ id: v.uuid }); }`,
  ),
  anywhere(
    'stack-overflow-two',
    `
    function renderBranch(node, depth) { return renderLeaf(node, depth + 1); }
    function renderLeaf(node, depth) { return depth < 0 ? depth : renderBranch(node, depth) + 1; }
    function descend(n, v) { return n === 0 ? renderBranch({ id: v.id }, 1) : descend(n - 1, v); }
    export async function handler(v) { return descend(v.n % 7, v); }`,
  ),
  anywhere(
    'invalid-array-length',
    `
    function allocateGrid(size) { return new Array(-size); }
    export async function handler(v) { return allocateGrid(v.n + 1); }`,
  ),
  anywhere(
    'to-fixed-digits',
    `
    function formatRate(rate, digits) { return rate.toFixed(digits); }
    export async function handler(v) { return formatRate(v.n / 7, 101 + v.m); }`,
  ),
  anywhere(
    'invalid-time-value',
    `
    function stampOf(text) { return new Date(text).toISOString(); }
    function scheduleReminder(v) { return stampOf('not ' + v.word); }
    export async function handler(v) { return scheduleReminder(v); }`,
  ),
  anywhere(
    'reduce-empty',
    `
    function highestBid(bids) { return bids.reduce((a, b) => (a > b ? a : b)); }
    export async function handler(v) { return highestBid([v.n].filter((one) => one < 0)); }`,
  ),
  anywhere(
    'circular-json',
    `
    function snapshotState(state) { return JSON.stringify(state); }
    export async function handler(v) { const state = { id: v.uuid }; state.self = state; return snapshotState(state); }`,
  ),
  anywhere(
    'bigint-mix',
    `
    function addFee(amount, fee) { return amount + fee; }
    export async function handler(v) { return addFee(BigInt(v.n), v.m); }`,
  ),
  anywhere(
    'bigint-parse',
    `
    function parseWei(text) { return BigInt(text); }
    export async function handler(v) { return parseWei(v.n + '.' + v.m + 'eth'); }`,
  ),
  anywhere(
    'symbol-to-string',
    `
    function cacheKey(part) { return 'cache:' + part; }
    export async function handler(v) { return cacheKey(Symbol(v.word)); }`,
  ),
  anywhere(
    'frozen-write',
    `
    function touchConfig(config, v) { 'use strict'; config.updatedAt = v.date; }
    export async function handler(v) { touchConfig(Object.freeze({ updatedAt: null }), v); }`,
  ),
  anywhere(
    'json-html',
    `
    function readBody(text) { return JSON.parse(text); }
    async function loadCatalog(v) { return readBody('<!DOCTYPE html><html><title>' + v.text + '</title>'); }
    export async function handler(v) { return loadCatalog(v); }`,
  ),
  anywhere(
    'json-truncated',
    `
    function decodeMessage(frame) { return JSON.parse(frame); }
    export async function handler(v) { return decodeMessage('{"id":"' + v.uuid + '","at":'); }`,
  ),
  anywhere(
    'json-trailing',
    `
    function parseSettings(raw) { return JSON.parse(raw); }
    export async function handler(v) { return parseSettings('{"n":' + v.n + '} ' + v.word); }`,
  ),
  anywhere(
    'uri-malformed',
    `
    function routeParam(part) { return decodeURIComponent(part); }
    function matchRoute(v) { return routeParam('%' + v.word); }
    export async function handler(v) { return matchRoute(v); }`,
  ),
  anywhere(
    'bad-regexp',
    `
    function compileFilter(pattern) { return new RegExp(pattern); }
    export async function handler(v) { return compileFilter('(' + v.id); }`,
  ),
  anywhere(
    'class-without-new',
    `
    class Ledger { constructor(id) { this.id = id; } }
    function openLedger(v) { return Ledger(v.id); }
    export async function handler(v) { return openLedger(v); }`,
  ),
  anywhere(
    'private-field',
    `
    class Wallet { #balance = 1; static read(of) { return of.#balance; } }
    function balanceOf(v) { return Wallet.read({ id: v.id }); }
    export async function handler(v) { return balanceOf(v); }`,
  ),
  anywhere(
    'revoked-proxy',
    `
    function readShared(view) { return view.total; }
    export async function handler(v) { const { proxy, revoke } = Proxy.revocable({ total: v.n }, {}); revoke(); return readShared(proxy); }`,
  ),
  anywhere(
    'generator-running',
    `
    function advance(g) { return g.next(); }
    export async function handler(v) { let g; function* pump() { advance(g); yield v.n; } g = pump(); g.next(); }`,
  ),
  anywhere(
    'invalid-repeat',
    `
    function padLine(width) { return ' '.repeat(width); }
    export async function handler(v) { return padLine(-v.n - 1); }`,
  ),
  anywhere(
    'invalid-url',
    `
    function callbackAddress(text) { return new URL(text); }
    async function beginSignIn(v) { return callbackAddress('//' + v.word + ':' + v.port); }
    export async function handler(v) { return beginSignIn(v); }`,
  ),
  anywhere(
    'bad-locale',
    `
    function priceFormat(locale) { return new Intl.NumberFormat(locale); }
    export async function handler(v) { return priceFormat('x_' + v.n); }`,
  ),
  anywhere(
    'all-promises-rejected',
    `
    function fastestMirror(list) { return Promise.any(list); }
    export async function handler(v) { await fastestMirror([1, 2].map(async (k) => { throw new Error('mirror ' + (k + v.n)); })); }`,
  ),
];

/** Errors that programs throw, as their authors word them. */
const worded: readonly Cause[] = [
  anywhere(
    'user-not-found',
    `
    class NotFoundError extends Error { name = 'NotFoundError'; }
    function requireUser(v) { throw new NotFoundError('User ' + v.uuid + ' not found'); }
    async function loadUser(v) { await null; return requireUser(v); }
    export async function handler(v) { return loadUser(v); }`,
  ),
  anywhere(
    'order-not-found',
    `
    class NotFoundError extends Error { name = 'NotFoundError'; }
    function requireOrder(v) { throw new NotFoundError('Order ' + v.id + ' not found'); }
    export async function handler(v) { return requireOrder(v); }`,
  ),
  anywhere(
    'insufficient-funds',
    `
    function debit(v) { throw new Error('Insufficient funds: need ' + v.n + '.' + v.m + ' USD, have ' + v.m + ' USD (account ' + v.hex + ')'); }
    function transfer(v) { return debit(v); }
    export async function handler(v) { return transfer(v); }`,
  ),
  anywhere(
    'payment-declined-json',
    `
    function charge(v) { throw new Error('payment failed (' + (400 + (v.n % 30)) + '): ' + JSON.stringify({ code: 'card_declined', charge: v.id, at: v.date })); }
    export async function handler(v) { return charge(v); }`,
  ),
  anywhere(
    'payment-expired-json',
    `
    function charge(v) { throw new Error('payment failed (402): ' + JSON.stringify({ code: 'card_expired', charge: v.id, at: v.date })); }
    export async function handler(v) { return charge(v); }`,
  ),
  anywhere(
    'rate-limited-upstream',
    `
    async function callModel(v) { throw new Error('model call (429): {"error":{"code":"rate_limited","request":"' + v.uuid + '","reset":' + v.n + '}}'); }
    async function summarize(v) { return await callModel(v); }
    export async function handler(v) { return await summarize(v); }`,
  ),
  anywhere(
    'timeout-after',
    `
    function expire(v) { return new Error('Timed out after ' + v.n + 'ms waiting for lock "jobs" held by ' + v.ip + ':' + v.port); }
    async function acquireLock(v) { await null; throw expire(v); }
    export async function handler(v) { await acquireLock(v); }`,
  ),
  anywhere(
    'invalid-email',
    `
    function checkAddress(v) { throw new TypeError('Invalid recipient <' + v.email + '> in message ' + v.hex); }
    function sendInvite(v) { checkAddress(v); }
    export async function handler(v) { sendInvite(v); }`,
  ),
  anywhere(
    'migration-mismatch',
    `
    function verifyVersion(v) { throw new Error('Schema version mismatch: database has ' + v.n + ', code wants ' + (v.n + 1) + ' [' + v.date + ']'); }
    export async function handler(v) { return verifyVersion(v); }`,
  ),
  anywhere(
    'long-quotation',
    `
    function runQuery(sql) { throw new SyntaxError('Cannot parse query "' + sql + '" near the end'); }
    export async function handler(v) { runQuery('select ' + v.text + ' from ' + v.text + ' where ' + v.word + ' = ' + v.n); }`,
  ),
  anywhere(
    'webhook-refused',
    `
    async function postHook(v) { throw new Error('POST https://hooks.' + v.word + '.example/' + v.id + '?t=' + v.n + ' answered 410'); }
    export async function handler(v) { await postHook(v); }`,
  ),
  anywhere(
    'two-callers',
    `
    function decrypt(v) { throw new Error('Bad tag in envelope ' + v.hex); }
    function readSecret(v) { return decrypt(v); }
    function openVault(v) { return readSecret(v); }
    function fromCron(v) { return openVault(v); }
    function fromRequest(v) { return openVault(v); }
    export async function handler(v) { return v.odd ? fromCron(v) : fromRequest(v); }`,
  ),
  anywhere(
    'thrown-text',
    `
    function giveUp(v) { throw 'gave up on ' + v.uuid; }
    export async function handler(v) { giveUp(v); }`,
  ),
  anywhere(
    'anonymous-throw',
    `
    export const handler = async (v) => { const go = (0, () => { throw new Error('no worker for shard ' + v.n); }); (() => go())(); };`,
  ),
  anywhere(
    'async-chain',
    `
    async function fetchPage(v) { await null; await null; throw new Error('page ' + v.n + ' of ' + v.m + ' is gone'); }
    async function crawlSite(v) { await Promise.resolve(); return await fetchPage(v); }
    async function indexSite(v) { return await crawlSite(v); }
    export async function handler(v) { return await indexSite(v); }`,
  ),
  anywhere(
    'promise-all',
    `
    async function resizeImage(v, k) { await null; if (k === 1) throw new RangeError('image ' + v.hex + ' is ' + v.n + 'x' + v.m); }
    async function resizeAll(v) { await Promise.all([0, 1].map((k) => resizeImage(v, k))); }
    export async function handler(v) { await resizeAll(v); }`,
  ),
  anywhere(
    'getter',
    `
    class Plan { constructor(v) { this.v = v; } get price() { throw new Error('no price for plan ' + this.v.id + ' in ' + this.v.m); } }
    function quotePlan(v) { return new Plan(v).price; }
    export async function handler(v) { return quotePlan(v); }`,
  ),
  anywhere(
    'static-method',
    `
    class TokenStore { static open(v) { throw new Error('token store at shard-' + v.n + ' is read-only'); } }
    export async function handler(v) { return TokenStore.open(v); }`,
  ),
  anywhere(
    'callback-in-map',
    `
    function normalizeRow(row) { if (row.n !== undefined) throw new Error('row ' + row.n + ': column "price" is empty'); return row; }
    function importRows(v) { return [{ n: v.n }].map((row) => normalizeRow(row)); }
    export async function handler(v) { return importRows(v); }`,
  ),
  anywhere(
    'sort-comparator',
    `
    function compareVersions(a, b) { throw new Error('cannot compare v' + a + ' with v' + b); }
    function latestVersion(v) { return [v.n, v.m].sort(compareVersions); }
    export async function handler(v) { return latestVersion(v); }`,
  ),
  anywhere(
    'replace-callback',
    `
    function expandVariable(_all, name) { throw new ReferenceError('variable ' + name + ' is not set'); }
    function expandTemplate(v) { return ('\${HOME}' + v.n).replace(/\\$\\{(\\w+)\\}/, expandVariable); }
    export async function handler(v) { return expandTemplate(v); }`,
  ),
];

/** Errors of the runtime and of libraries. */
const runtime: readonly Cause[] = [
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

/** All of them; the order is that of the corpus. */
export const causes: readonly Cause[] = [...engine, ...worded, ...runtime, ...laterCauses];
