import { joinRoom } from './functions/room.js';

const { AGENT_TOKEN: token, SVC_API_BASE: apiBase = 'http://localhost:4000', SVC_PROJECT_ID: project } = process.env;
if (!token || !project) throw new Error('AGENT_TOKEN and SVC_PROJECT_ID have to be set, in the environment or in .env.');

const answerMessages = await joinRoom({ apiBase, project, token });
console.log('The agent is in its room. Ctrl-C ends it.');
for (let cursor; ; ) {
  const page = await answerMessages(cursor, 25);
  if (page.answered > 0) console.log(`answered ${page.answered}`);
  cursor = page.cursor;
}
