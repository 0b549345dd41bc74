import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAiWorld } from '../ai/stage.ts';
import { terminal } from '../cli/command.ts';
import { deploying, refOf } from '../deploys/deploying.ts';
import { until } from '../helpers/until.ts';

const world = await startAiWorld();
afterAll(() => world.stop());
const { service, call } = world;

const source = `
import { adminDb, ai, email } from '@svc/functions';

export default async () => {
  console.log('at work');
  await adminDb().sql('select 1');
  await email.send({ to: 'ada@example.com', subject: 'Hello', html: '<p>Hello</p>' });
  await ai.generateImage({ prompt: 'Sea', aspect: 'landscape' });
  return new Response('done');
};`;

let project: Awaited<ReturnType<typeof world.project>>;
/** The call of the function, by its own id and that of its trace. */
let request: string;
let trace: string;
beforeAll(async () => {
  project = await world.project({ credit: 10_000_000 });
  const mailbox = { slug: 'shop', project_id: project.projectId };
  expect(await call(project.key, 'POST', '/mailboxes/v1', { body: mailbox })).toMatchObject({ status: 201 });
  const spec = { functions: { replace: { work: { source: refOf(source) } } } };
  await deploying(service, project.wallet, project).deploy(spec, [source]);
  // Of a busy second the log of requests leaves some out, and a deploy makes one.
  await until(async () => {
    const answer = await fetch(`${service.url}/functions/v1/work`, {
      method: 'POST',
      headers: { apikey: project.anonKey, 'x-svc-request-id': 'req_chosen_by_a_client' },
    });
    expect(await answer.text()).toBe('done');
    request = answer.headers.get('x-svc-request-id')!;
    trace = answer.headers.get('x-svc-trace-id')!;
    expect(await requests(trace)).toHaveLength(5);
  });
  expect([request, trace.replace('trc_', 'req_')]).toEqual([expect.stringMatching(/^req_[0-9a-f]{32}$/), request]);
});

/** Requests of the log with this id, each with what it was caused by. */
async function requests(id: string) {
  const path = `/projects/v1/${project.projectId}/requests?request_id=${id}`;
  const { body } = await call(project.key, 'GET', path);
  return (body.requests as { path: string; caused_by: string | null }[]).map((one) => [one.path, one.caused_by]).sort();
}

test('what a function asked of the gateway is found by the id of the call that it answered', async () => {
  const asked = [
    ['/generate-image/v1', request],
    ['/mailboxes/v1', request],
    [expect.stringMatching(/^\/mailboxes\/v1\/mbx_\w+\/messages$/), request],
    [`/projects/v1/admin/${project.projectId}/sql`, request],
  ];
  expect(await requests(request)).toEqual(asked);
  expect(await requests(trace)).toEqual([['/functions/v1/work', 'req_chosen_by_a_client'], ...asked]);
});

test('so is the mail that it sent', async () => {
  const { body } = await call(project.key, 'GET', '/mailboxes/v1');
  const path = `/mailboxes/v1/${body.mailboxes[0].mailbox_id}/messages`;
  for (const id of [request, trace]) {
    const { body: found } = await call(project.key, 'GET', `${path}?request_id=${id}`);
    expect(found.messages).toMatchObject([{ to: 'ada@example.com', request_id: request }]);
  }
  expect((await call(project.key, 'GET', `${path}?request_id=req_another`)).body.messages).toEqual([]);
});

test('so is what was paid for it', async () => {
  const path = `/orgs/v1/${project.orgId}/billing/history`;
  for (const id of [request, trace]) {
    const { body } = await call(project.wallet, 'GET', `${path}?request_id=${id}`);
    expect(body.entries).toMatchObject([
      { kind: 'image', direction: 'debit', request_id: request },
      { kind: 'hold', direction: 'debit', request_id: request },
    ]);
  }
  const { data } = await service.graphql(
    project.wallet,
    `{ organization(id: "${project.orgId}") {
      billing { history(requestId: "${trace}") { edges { node { kind requestId } } } }
    } }`,
  );
  expect(data.organization.billing.history.edges).toHaveLength(2);
});

test('a request of no function is known by its own id, and what is no id names no request', async () => {
  const { body: listed } = await call(project.key, 'GET', '/mailboxes/v1');
  const path = `/mailboxes/v1/${listed.mailboxes[0].mailbox_id}/messages`;
  const send = async (headers: Record<string, string>) => {
    const { headers: answered, body } = await call(project.key, 'POST', path, {
      body: { to: 'bob@example.com', subject: 'Hello', html: '<p>Hello</p>' },
      headers,
    });
    return { own: answered.get('x-svc-trace-id')!.replace('trc_', 'req_'), kept: body.request_id };
  };
  for (const id of ['<script>', 'req_a b', 'trc_0123456789abcdef0123456789abcdef', `req_${'x'.repeat(65)}`]) {
    const { own, kept } = await send({ 'x-svc-request-id': id });
    expect(kept).toBe(own);
  }
  expect((await send({ 'x-svc-request-id': 'fnrun_0123456789' })).kept).toBe('fnrun_0123456789');
});

test('svc logs shows all of it, and names what the key may not read', async () => {
  const ada = await terminal(service.url);
  const svc = ada.with({ SVC_SERVICE_KEY: project.serviceKey, SVC_PROJECT_ID: project.projectId });
  for (const id of [request, trace]) {
    const { json } = await svc('logs', '--request-id', id);
    const found = (json.entries as { source: string; message: string }[]).map((one) => `${one.source}: ${one.message}`);
    expect(found).toEqual(
      expect.arrayContaining([
        'requests: POST /functions/v1/work 200',
        'functions: at work',
        'mail: To ada@example.com: pending',
        expect.stringMatching(/^requests: POST \/generate-image\/v1 2\d\d$/),
      ]),
    );
    expect(json.errors.map(({ name }: { name: string }) => name).sort()).toEqual(['audit', 'payments']);
  }
  await ada.remove();
});
