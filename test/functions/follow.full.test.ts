import { afterAll, beforeAll, expect, test } from 'vitest';
import { terminal } from '../cli/command.ts';
import { deploying, refOf } from '../deploys/deploying.ts';
import type { Actor } from '../helpers/actors.ts';
import { openSocket } from '../helpers/graphql-ws-client.ts';
import { startService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const service = await startService();
afterAll(() => service.stop());

const talker = `export default async (request) => {
  for (const word of (await request.text()).split(' ')) console.log(word);
  return new Response('');
};`;

let project: Awaited<ReturnType<typeof service.project>>;
beforeAll(async () => {
  project = await service.project();
  const functions = { replace: { talker: { source: refOf(talker) }, other: { source: refOf(talker) } } };
  await deploying(service, project.wallet, project).deploy({ functions }, [talker]);
});

/** Has a function print words. @returns the id of the call */
async function say(words: string, name = 'talker'): Promise<string> {
  const answer = await fetch(`${service.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { apikey: project.anonKey },
    body: words,
  });
  expect(answer.status).toBe(200);
  return answer.headers.get('x-svc-request-id')!;
}

const document = `subscription ($project: ID!, $name: String!, $tail: Int, $requestId: String, $after: String, $first: Int) {
  functionLogs(project: $project, name: $name, tail: $tail, requestId: $requestId, after: $after, first: $first) {
    cursor reset line { message requestId }
  } }`;

interface Told {
  readonly functionLogs: {
    readonly cursor: string;
    readonly reset: boolean;
    readonly line: { readonly message: string };
  };
}

function follow(variables: object, who: Actor = project.wallet) {
  const { client } = openSocket(service.url, who);
  const events = client.iterate<Told, unknown>({
    query: document,
    variables: { project: project.projectId, name: 'talker', ...variables },
  });
  return {
    async take(count: number): Promise<Told['functionLogs'][]> {
      const taken = [];
      while (taken.length < count) {
        const { value } = await events.next();
        expect(value.errors).toBeUndefined();
        taken.push(value.data.functionLogs);
      }
      return taken;
    },
    async refusal(): Promise<unknown> {
      return (await events.next()).value.errors?.[0].extensions.code;
    },
    end: () => client.dispose(),
  };
}
const messages = (told: readonly Told['functionLogs'][]) => told.map(({ line }) => line.message);

test('the newest lines come first, then those that are printed, and of this function alone', async () => {
  await say('one two three');
  await say('nothing', 'other');
  const following = follow({ tail: 2 });
  expect(messages(await following.take(2))).toEqual(['two', 'three']);
  await say('beside', 'other');
  await say('four five');
  expect(messages(await following.take(2))).toEqual(['four', 'five']);
  await following.end();
});

test('without a tail only what comes is told', async () => {
  await say('before');
  const following = follow({ tail: 0 });
  let isTold = false;
  const told = following.take(1).finally(() => {
    isTold = true;
  });
  // The first of these may come before the subscription has begun.
  while (!isTold) await say('now');
  expect(messages(await told)).toEqual(['now']);
  await following.end();
});

test('a cursor goes on where it was: nothing is missed and nothing comes twice', async () => {
  await say('start');
  const following = follow({ tail: 1 });
  const [first] = await following.take(1);
  await following.end();
  await say('beside', 'other');
  await say('six seven');
  const resumed = follow({ after: first!.cursor });
  const told = await resumed.take(2);
  expect([told[0]!.reset, ...messages(told)]).toEqual([false, 'six', 'seven']);
  await resumed.end();
});

test('a cursor of lines that are gone begins with the earliest that is kept, and says so', async () => {
  await say('old');
  const following = follow({ tail: 1 });
  const [{ cursor }] = (await following.take(1)) as [Told['functionLogs']];
  await following.end();
  await say('older kept');
  // Whoever reads them has them written.
  const path = `/projects/v1/admin/${project.projectId}/functions/talker/logs`;
  await service.call(service.actors.bearer(project.serviceKey), 'GET', path);
  await service.control.sql(
    `delete from function_logs where project_id = $1 and position <
     (select max(position) from function_logs where project_id = $1)`,
    [project.projectId],
  );
  const resumed = follow({ after: cursor });
  const [told] = await resumed.take(1);
  expect(told).toMatchObject({ reset: true, line: { message: 'kept' } });
  await resumed.end();
});

test('the lines of one call are told by its id', async () => {
  const call = await say('seven eight');
  await say('nine');
  const following = follow({ requestId: call });
  expect(messages(await following.take(2))).toEqual(['seven', 'eight']);
  await following.end();
});

test('nobody follows functions of others, and none that is not there', async () => {
  const stranger = await service.project();
  for (const who of [stranger.wallet, service.actors.bearer(stranger.serviceKey)])
    expect(await follow({}, who).refusal()).toMatch(/NOT_AUTHORIZED|FORBIDDEN/);
  expect(await follow({}, service.actors.nobody).refusal()).toBe('AUTH_REQUIRED');
  expect(await follow({ name: 'absent' }).refusal()).toBe('FUNCTION_NOT_FOUND');
});

test('svc functions logs --follow prints a line for each', async () => {
  const ada = await terminal(service.url);
  await say('ten');
  const following = ada.streamWith({ SVC_SERVICE_KEY: project.serviceKey, SVC_PROJECT_ID: project.projectId })(
    ...['functions', 'logs', 'talker', '--follow', '--tail', '1'],
  );
  const shown = (count: number) =>
    until(() => {
      const lines = following.lines().map(({ line }) => line.message);
      expect(lines.length, following.stderr()).toBeGreaterThanOrEqual(count);
      return lines;
    });
  expect(await shown(1)).toEqual(['ten']);
  await say('eleven');
  expect(await shown(2)).toEqual(['ten', 'eleven']);
  expect((await following.stop()).code).toBe(0);
  await ada.remove();
});
