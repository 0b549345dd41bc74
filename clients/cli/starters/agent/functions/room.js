import { answer } from './answer.js';

/** The name of the agent in its room, and the session that it comes back to. */
const name = 'my-app';
const session_key = 'my-app-agent';

/**
 * Joins the room of a project.
 *
 * @param {{ apiBase: string, project: string, token: string }} options `token` is a delegate's
 */
export async function joinRoom({ apiBase, project, token }) {
  const ask = async (method, path, body) => {
    const response = await fetch(apiBase + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const said = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${said.code}, ${said.message}`);
    return said;
  };
  const { org_id } = await ask('GET', `/projects/v1/${project}`);
  const room = `/orgs/v1/${org_id}/rooms/${project}`;
  await ask('POST', `${room}/presences`, { requested_name: name, session_key });

  /**
   * Answers the messages to the agent that come after a cursor.
   *
   * @param {string | undefined} cursor from the beginning where there is none
   * @param {number | undefined} wait seconds to wait for a message, at most 25
   * @returns where it goes on, and how many messages it has answered
   */
  return async function answerMessages(cursor, wait) {
    const query = new URLSearchParams({ addressed_to: 'me', session_key, limit: '20' });
    if (cursor !== undefined) query.set('cursor', cursor);
    if (wait !== undefined) query.set('wait', String(wait));
    const page = await ask('GET', `${room}/messages?${query}`);
    for (const { message_id, thread_id } of page.messages) {
      const { sender, body } = await ask('GET', `${room}/messages/${message_id}`);
      await ask('POST', `${room}/messages`, {
        body: await answer({ sender, body }),
        thread_id: thread_id ?? message_id,
        session_key,
        // A message is answered once, however often it is read.
        idempotency_key: `answer-${message_id}`,
      });
    }
    return { cursor: page.cursor, answered: page.messages.length };
  };
}
