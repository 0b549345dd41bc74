import { adminDb, auth } from '@svc/functions';
import { Hono } from 'hono';

const app = new Hono().basePath('/api');

/** Todos of the signed-in user; anybody else is refused with 401. */
const todos = () => ({ user_id: auth.requireUser().id, rows: adminDb().from('todos') });

app.get('/health', (c) => c.json({ ok: true }));

app.get('/todos', async (c) => {
  const { user_id, rows } = todos();
  return c.json(await rows.select('id,title,done').eq('user_id', user_id).order('id').limit(100));
});

app.post('/todos', async (c) => {
  const { user_id, rows } = todos();
  const { title } = await c.req.json().catch(() => ({}));
  if (typeof title !== 'string' || title.length < 1 || title.length > 200)
    return c.json({ message: 'A todo has 1 to 200 characters, as `title`.' }, 400);
  return c.json(await rows.select('id,title,done').insert({ user_id, title }).single(), 201);
});

app.patch('/todos/:id{[0-9]{1,18}}', async (c) => {
  const { user_id, rows } = todos();
  const { done } = await c.req.json().catch(() => ({}));
  if (typeof done !== 'boolean') return c.json({ message: '`done` is true or false.' }, 400);
  const [todo] = await rows.select('id,title,done').eq('id', c.req.param('id')).eq('user_id', user_id).update({ done });
  return todo ? c.json(todo) : c.notFound();
});

app.delete('/todos/:id{[0-9]{1,18}}', async (c) => {
  const { user_id, rows } = todos();
  const [todo] = await rows.select('id').eq('id', c.req.param('id')).eq('user_id', user_id).delete();
  return todo ? c.body(null, 204) : c.notFound();
});

app.notFound((c) => c.json({ message: 'There is nothing here.' }, 404));

// The gateway answers what auth refuses, and keeps every other error among the failures of the project.
app.onError((error) => {
  throw error;
});

export default (request) => app.fetch(request);
