import { anywhere, boot, type Cause, uncaught } from './cause.ts';

/** Written after the rules: the author of the rules did not know how these are told apart. */
export const laterCauses: readonly Cause[] = [
  anywhere(
    'unknown-colour',
    `
    function paletteEntry(v) { throw new RangeError('Unknown colour ' + v.word + ' in theme ' + v.n); }
    export async function handler(v) { return paletteEntry(v); }`,
  ),
  anywhere(
    'seat-taken',
    `
    class ConflictError extends Error { name = 'ConflictError'; }
    class SeatMap { reserve(v) { throw new ConflictError('Seat ' + v.n + 'B on flight XY' + v.m + ' is taken (booking ' + v.id + ')'); } }
    async function bookSeat(v) { const map = new SeatMap(); await null; map.reserve(v); }
    export async function handler(v) { await bookSeat(v); }`,
  ),
  anywhere(
    'coupon-expired',
    `
    function applyCoupon(v) { throw new Error('Coupon ' + v.hex.toUpperCase() + ' expired on ' + v.date.slice(0, 10)); }
    function priceBasket(v) { return applyCoupon(v); }
    export async function handler(v) { return priceBasket(v); }`,
  ),
  anywhere(
    'weight-limit',
    `
    const limits = { parcel: 30 };
    function assertWeight(v) { if (v.n > limits.parcel) throw new RangeError('parcel weighs ' + (v.n / 100).toFixed(2) + 'kg, limit ' + limits.parcel + 'kg'); }
    export async function handler(v) { assertWeight(v); }`,
  ),
  anywhere(
    'missing-translation',
    `
    const texts = { en: {} };
    function translate(key, locale) { return texts[locale][key].replace('{n}', '1'); }
    export async function handler(v) { return translate('cart.title', 'en'); }`,
  ),
  anywhere(
    'missing-locale',
    `
    const texts = { en: {} };
    function translate(key, locale) { return texts[locale][key]; }
    export async function handler(v) { return translate('cart.title', v.word); }`,
  ),
  anywhere(
    'plugin-contract',
    `
    class Registry { #plugins = new Map(); add(p) { this.#plugins.set(p.name, p); return this; } start() { for (const p of this.#plugins.values()) p.start(); } }
    export async function handler(v) { new Registry().add({ name: v.word }).start(); }`,
  ),
  anywhere(
    'state-machine',
    `
    const moves = { draft: ['open'] };
    function transition(order, to) { if (!moves[order.state]?.includes(to)) throw new Error('Cannot move order ' + order.id + ' from draft to shipped'); }
    async function shipOrder(v) { transition({ id: v.uuid, state: 'draft' }, 'shipped'); }
    export async function handler(v) { await shipOrder(v); }`,
  ),
  anywhere(
    'deep-stack',
    `
    function level5(v) { throw new Error('quota of ' + v.n + ' bytes reached'); }
    function level4(v) { return level5(v); }
    function level3(v) { return level4(v); }
    function level2(v) { return level3(v); }
    function level1(v) { return level2(v); }
    export async function handler(v) { return v.odd ? level1(v) : level2(v); }`,
  ),
  anywhere(
    'quota-elsewhere',
    `
    function enforceQuota(v) { throw new Error('quota of ' + v.n + ' bytes reached'); }
    export async function handler(v) { return enforceQuota(v); }`,
  ),
  anywhere(
    'retry-exhausted',
    `
    async function attempt(v, k) { await null; throw new Error('upstream ' + v.ip + ' said ' + (500 + (v.n % 5))); }
    async function withRetries(v) { let last; for (let k = 0; k < 3; k++) { try { return await attempt(v, k); } catch (error) { last = error; } } throw new Error('gave up after ' + v.m + ' tries: ' + last.message, { cause: last }); }
    export async function handler(v) { await withRetries(v); }`,
  ),
  anywhere(
    'reduce-callback',
    `
    function sumLines(lines) { return lines.reduce((sum, line) => sum + line.price.amount, 0); }
    export async function handler(v) { return sumLines([{ price: null, id: v.id }]); }`,
  ),
  anywhere(
    'for-await',
    `
    async function* readPages(v) { yield v.n; throw new Error('page token ' + v.hex + ' is not valid any more'); }
    async function collectPages(v) { const all = []; for await (const page of readPages(v)) all.push(page); return all; }
    export async function handler(v) { return collectPages(v); }`,
  ),
  anywhere(
    'json-reviver',
    `
    function reviveDates(_key, value) { if (typeof value === 'string') throw new TypeError('not a date: ' + value); return value; }
    function restoreDraft(v) { return JSON.parse(JSON.stringify({ at: v.date }), reviveDates); }
    export async function handler(v) { return restoreDraft(v); }`,
  ),
  anywhere(
    'to-json',
    `
    class Money { constructor(v) { this.v = v; } toJSON() { throw new Error('amount ' + this.v.n + ' has no currency'); } }
    function respond(v) { return JSON.stringify({ total: new Money(v) }); }
    export async function handler(v) { return respond(v); }`,
  ),
  anywhere(
    'tagged-template',
    `
    function sqlText(parts, ...values) { throw new Error('value ' + values.length + ' of query is undefined'); }
    function findAccount(v) { return sqlText\`select \${v.n}\`; }
    export async function handler(v) { return findAccount(v); }`,
  ),
  anywhere(
    'super-call',
    `
    class Base { describe() { return this.meta.title; } } class Article extends Base { describe() { return super.describe(); } }
    function renderCard(v) { return new Article(v).describe(); }
    export async function handler(v) { return renderCard(v); }`,
  ),
  uncaught(
    'fetch-bad-status',
    `
    import http from 'node:http';
    class HttpError extends Error { name = 'HttpError'; }
    async function getJson(v) { const s = http.createServer((_q, r) => { r.statusCode = 502; r.end('<h1>' + v.uuid + '</h1>'); }); await new Promise((r) => s.listen(0, '127.0.0.1', r));
      try { const a = await fetch('http://127.0.0.1:' + s.address().port + '/' + v.id); if (!a.ok) throw new HttpError('GET ' + a.url + ' failed: ' + a.status + ' ' + a.statusText); } finally { s.closeAllConnections(); s.close(); } }
    export async function handler(v) { await getJson(v); }`,
  ),
  uncaught(
    'socket-reset',
    `
    import net from 'node:net';
    async function readGreeting(v) { const s = net.createServer((c) => c.resetAndDestroy()); await new Promise((r) => s.listen(0, '127.0.0.1', r));
      try { await new Promise((_done, fail) => net.connect(s.address().port, '127.0.0.1').on('error', fail).on('data', () => {})); } finally { s.close(); } }
    export async function handler(v) { await readGreeting(v); }`,
  ),
  uncaught(
    'port-taken',
    `
    import net from 'node:net';
    async function bindPort(v) { const s = net.createServer(); await new Promise((r) => s.listen(0, '127.0.0.1', r));
      try { await new Promise((_done, fail) => net.createServer().on('error', fail).listen(s.address().port, '127.0.0.1')); } finally { s.close(); } }
    export async function handler(v) { await bindPort(v); }`,
  ),
  uncaught(
    'file-is-directory',
    `
    import { readFileSync } from 'node:fs';
    function readManifest(v) { return readFileSync(v.scratch); }
    export async function handler(v) { return readManifest(v); }`,
  ),
  uncaught(
    'ajv-like',
    `
    class ValidationError extends Error { constructor(v) { super('request/body/items/' + v.m + '/price must be number, request ' + v.uuid); this.name = 'ValidationError'; } }
    function validateBody(v) { throw new ValidationError(v); }
    export async function handler(v) { validateBody(v); }`,
  ),
  uncaught(
    'child-exit',
    `
    import { execFileSync } from 'node:child_process';
    function runLinter(v) { return execFileSync(process.execPath, ['-e', 'process.exit(' + (1 + (v.n % 9)) + ')', v.uuid], { stdio: 'pipe' }); }
    export async function handler(v) { return runLinter(v); }`,
  ),
  uncaught(
    'drizzle-like',
    `
    class QueryError extends Error { constructor(v) { super('Failed query: select "id" from "orders" where "id" = $1\\nparams: ' + v.uuid); this.name = 'QueryError'; } }
    async function findOrder(v) { await null; throw new QueryError(v); }
    export async function handler(v) { await findOrder(v); }`,
  ),
  uncaught(
    'unique-violation',
    `
    class DatabaseError extends Error {}
    async function insertUser(v) { await null; throw new DatabaseError('duplicate key value violates unique constraint "users_email_key"'); }
    export async function handler(v) { await insertUser(v); }`,
  ),
  uncaught(
    'unique-violation-detail',
    `
    class DatabaseError extends Error {}
    async function insertSlug(v) { await null; throw new DatabaseError('duplicate key value violates unique constraint "sites_slug_key": Key (slug)=(' + v.word + '-' + v.n + ') already exists.'); }
    export async function handler(v) { await insertSlug(v); }`,
  ),
  uncaught(
    'promisified',
    `
    import { promisify } from 'node:util'; import { readFile } from 'node:fs';
    const read = promisify(readFile);
    async function loadKeys(v) { return read(v.path + '/keys-' + v.n + '.pem'); }
    export async function handler(v) { await loadKeys(v); }`,
  ),
  uncaught(
    'abort-controller',
    `
    import { setTimeout as sleep } from 'node:timers/promises';
    async function pollJob(v) { const c = new AbortController(); setTimeout(() => c.abort(), 1); await sleep(5000, v.n, { signal: c.signal }); }
    export async function handler(v) { await pollJob(v); }`,
  ),
  boot(
    'config-schema',
    `
    import { z } from 'zod';
    const Config = z.object({ DATABASE_URL: z.url() });
    function loadConfig(v) { return Config.parse({ DATABASE_URL: v.word }); }
    loadConfig({ word: 'x' });
    export async function handler() {}`,
  ),
  boot(
    'top-level-throw',
    `
    const started = Number(process.hrtime.bigint() % 1000n);
    throw new Error('region ' + started + ' is not supported');
    export async function handler() {}`,
  ),
];
