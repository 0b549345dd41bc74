/*
 * Keeps the console's own files, so that the console opens without the gateway, says so, and waits for it. It keeps no
 * answer of an operation. The document is asked for anew each time; its copy serves when there is no connection, or
 * when a proxy says so.
 */
const cacheName = 'console';
const root = '/console';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(documentOf(request));
  else if (pathname.startsWith(`${root}/assets/`)) event.respondWith(fileOf(request));
});

async function documentOf(request) {
  const cache = await caches.open(cacheName);
  let answer;
  try {
    answer = await fetch(request);
  } catch (error) {
    const kept = await cache.match(root);
    if (kept === undefined) throw error;
    return kept;
  }
  if (isAway(answer)) return (await cache.match(root)) ?? answer;
  if (isDocument(answer)) await keepDocument(cache, answer.clone());
  return answer;
}

/** A proxy answers so while the gateway does not. */
const isAway = ({ status }) => status >= 502 && status <= 504;

/** Data and pictures of the console can be opened by their addresses, too. */
const isDocument = ({ ok, redirected, headers }) =>
  ok && !redirected && (headers.get('content-type') ?? '').startsWith('text/html');

/** Files of an earlier build are not asked for again. */
async function keepDocument(cache, answer) {
  const text = await answer.clone().text();
  // A page of a proxy is none of the console's.
  if (!text.includes(`${root}/assets/`)) return;
  const before = await cache.match(root);
  if (before !== undefined && (await before.text()) !== text)
    for (const key of await cache.keys()) await cache.delete(key);
  await cache.put(root, answer);
}

/** The name of a file changes with its content. */
async function fileOf(request) {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}
