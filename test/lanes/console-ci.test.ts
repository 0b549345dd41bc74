import { describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('bindings of CI in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { projectId } = world;
  const path = `/projects/${projectId}/ci`;
  const bind = (id: string) =>
    world.service.control.sql(
      `insert into ci_bindings (id, org_id, project_id, delegate_id, issuer, subject_match, allowed_events, route_scopes, nonce)
       select $2, org_id, id, gen_random_uuid(), 'https://ci.example.com', 'repo:acme/shop:ref:refs/heads/main', '{push}',
         '{/docs/*}', $2 from projects where id = $1`,
      [projectId, id],
    );

  test('a binding is shown and revoked', async () => {
    const { page, visit } = await world.asOwner();
    await visit(path);
    await page.getByText('No workflow may deploy yet').waitFor();
    await bind('bnd_first');
    await visit(path);
    const row = page.getByRole('group', { name: 'Bindings' }).getByRole('row').filter({ hasText: 'repo:acme/shop' });
    await row.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('alertdialog', { name: 'Revoke this binding?' });
    await question.getByRole('button', { name: 'Revoke binding' }).click();
    await row.getByText('Revoked').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
  });

  test.each(looks)(
    'bindings can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await bind('bnd_second').catch(() => undefined);
      await expectUsable(world.asOwner, look, [
        { path, sign: 'Last used' },
        { path: `${path}?binding=bnd_second`, sign: 'deploy no more' },
      ]);
    },
    120_000,
  );
});
