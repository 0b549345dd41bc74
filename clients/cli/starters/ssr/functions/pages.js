import { adminDb } from '@svc/functions';
import { html, layout } from './html.js';

/** Renders what no file of the site answers. */
export default async function pages(request) {
  const { pathname } = new URL(request.url);
  if (pathname === '/') return home();
  const [, slug] = /^\/posts\/([a-z0-9-]{1,80})$/.exec(pathname) ?? [];
  return slug === undefined ? missing() : post(slug);
}

async function home() {
  const posts = await adminDb().from('posts').select('slug,title').order('published_at', { ascending: false }).limit(50);
  const items = posts.map(({ slug, title }) => html`<li><a href="/posts/${slug}">${title}</a></li>`);
  return page('my-app', html`<h1>Notes from the server</h1><ul class="posts">${items}</ul>`);
}

async function post(slug) {
  const found = await adminDb().from('posts').select('title,body,published_at').eq('slug', slug).maybeSingle();
  if (found === null) return missing();
  const day = found.published_at.slice(0, 10);
  return page(found.title, html`<p><time datetime="${day}">${day}</time></p><h1>${found.title}</h1><p>${found.body}</p>`);
}

const missing = () => page('Not found', html`<h1>There is no such page</h1><p><a href="/">All notes</a></p>`, 404);

/** Visitors are shown the same page for a minute. */
const page = (title, body, status = 200) =>
  new Response(layout(title, body), {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'public, s-maxage=60' },
  });
