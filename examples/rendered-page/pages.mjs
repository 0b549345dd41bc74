import { getSvcContext } from '@svc/functions';

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => escapes[sign]);

/** Answers what no file of the site does. Pages are kept for a minute, by their address. */
export default function pages(request) {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname !== '/') return new Response('There is no such page.', { status: 404 });
  const name = escaped(searchParams.get('name') ?? 'you');
  const { releaseId } = getSvcContext(request);
  return new Response(
    `<!doctype html>
<html lang="en">
  <head><title>Hello</title><link rel="stylesheet" href="/style.css"></head>
  <body><h1>Hello, ${name}</h1><p>Rendered by ${releaseId} at ${new Date().toISOString()}.</p></body>
</html>
`,
    { headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'public, s-maxage=60' } },
  );
}
