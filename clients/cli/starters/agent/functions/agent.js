import { adminDb, defineFunctionRuns, permanentRunError } from '@svc/functions';
import { joinRoom } from './room.js';

/** Answers what was said to the agent since it looked last. */
export default defineFunctionRuns({
  'agent.look': async () => {
    const { AGENT_TOKEN: token, SVC_API_BASE: apiBase, SVC_PROJECT_ID: project } = process.env;
    if (!token) throw permanentRunError('The secret AGENT_TOKEN is not set: svc delegates create --for agent makes one.');
    const answerMessages = await joinRoom({ apiBase, project, token });
    const kept = await adminDb().from('agent').select('cursor').eq('name', 'room').maybeSingle();
    const { cursor, answered } = await answerMessages(kept?.cursor);
    await adminDb().sql(
      'insert into agent (name, cursor) values ($1, $2) on conflict (name) do update set cursor = excluded.cursor',
      ['room', cursor],
    );
    console.log(`answered ${answered}`);
    return { answered };
  },
});
