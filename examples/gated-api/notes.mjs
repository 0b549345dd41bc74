import { adminDb, auth } from '@svc/functions';

/** Notes of whoever is signed in: the gate lets nobody else in. */
export default async function notes(request) {
  const { id } = auth.requireUser();
  if (request.method === 'GET')
    return Response.json(await adminDb().from('notes').select('id,body').eq('user_id', id).order('id').limit(100));
  const { body } = await request.json().catch(() => ({}));
  if (typeof body !== 'string' || body.length < 1 || body.length > 1000)
    return Response.json({ message: 'A note has 1 to 1,000 characters, as `body`.' }, { status: 400 });
  const made = await adminDb().from('notes').select('id,body').insert({ user_id: id, body }).single();
  console.log(`note ${made.id} is kept`);
  return Response.json(made, { status: 201 });
}
