import { anywhere, type Cause } from './cause.ts';

/** Errors that engines raise by themselves. */
export const engineCauses: readonly Cause[] = [
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
