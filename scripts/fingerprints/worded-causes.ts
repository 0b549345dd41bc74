import { anywhere, type Cause } from './cause.ts';

/** Errors that programs throw, as their authors word them. */
export const wordedCauses: readonly Cause[] = [
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
