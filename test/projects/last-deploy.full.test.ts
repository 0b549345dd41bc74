import { afterAll, expect, test } from 'vitest';
import { deploying } from '../deploys/deploying.ts';
import { startService } from '../helpers/service.ts';

const service = await startService();
afterAll(() => service.stop());

// biome-ignore lint/suspicious/noExplicitAny: tests select what they look at.
type Any = any;

test('a project tells its latest deploy, and a promotion counts as one', async () => {
  const project = await service.project();
  const { deploySite, call } = deploying(service, project.wallet, project);
  const detail = async () => (await call('GET', `/projects/v1/${project.projectId}`)).body.last_deploy;
  const field = async () => {
    const { data } = await service.graphql(
      project.wallet,
      `{ project(id: "${project.projectId}") { lastDeploy { releaseId activatedAt } } }`,
    );
    return data.project.lastDeploy;
  };
  /** What both surfaces say, which is the same. */
  const last = async (): Promise<Any> => {
    const [one, other] = [await detail(), await field()];
    expect(other).toEqual(one === null ? null : { releaseId: one.release_id, activatedAt: one.activated_at });
    return one;
  };
  expect(await last()).toBeNull();
  const first = await deploySite({ 'a.txt': 'one' });
  const { release_id, activated_at } = await last();
  expect(release_id).toBe(first.release_id);
  const second = await deploySite({ 'a.txt': 'two' });
  expect((await last()).release_id).toBe(second.release_id);
  await call('POST', `/apply/v1/releases/${first.release_id}/promote`, { project: project.projectId });
  const promoted = await last();
  expect(promoted.release_id).toBe(first.release_id);
  expect(Date.parse(promoted.activated_at)).toBeGreaterThan(Date.parse(activated_at));
});

test('several projects tell their deploys by one statement', async () => {
  const project = await service.project();
  for (let at = 0; at < 3; at += 1)
    await service.call(project.wallet, 'POST', '/projects/v1', { body: { org_id: project.orgId } });
  await deploying(service, project.wallet, project).deploySite({ 'a.txt': 'one' });
  const document = `{ projects(first: 10, org: "${project.orgId}") { edges { node { lastDeploy { releaseId } } } } }`;
  let data: Any;
  const sent = await service.statements(async () => {
    ({ data } = await service.graphql(project.wallet, document));
  });
  expect(data.projects.edges.map(({ node }: Any) => node.lastDeploy !== null).sort()).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(sent.filter((text) => text.includes('live_releases'))).toHaveLength(1);
});
