import { afterAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import { startAiServer } from '../helpers/ai-server.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('models in the console, in Chromium', async () => {
  const server = await startAiServer();
  afterAll(() => server.close());
  const world = await startConsoleWorld({ env: server.env });
  const { service, orgId, projectId, post, asOwner } = world;
  const { admin } = service.actors;
  const ai = `/projects/${projectId}/ai`;
  const activate = () =>
    post('/ai/v1/addons', { project_id: projectId, addon: 'translation', included_words: 10 }, admin);

  test('a text is translated and moderated, and an image is made', async () => {
    const { page, visit, press } = await asOwner();
    await visit(ai);
    await page.getByText('does not have the add-on').waitFor();
    await activate();
    await post(`/orgs/v1/admin/${orgId}/credits`, { amount_usd_micros: 100_000 }, admin);
    await page.reload();
    const form = (name: string) => page.getByRole('region', { name });
    await form('Translate').getByLabel('Text').fill('Good morning');
    await form('Translate').getByLabel('Into').fill('es');
    await press('Translate');
    await form('Translate').getByText('buenos días').waitFor();
    await page.getByText('2 of 10').waitFor();
    await form('Moderate').getByLabel('Text').fill('I will kill you');
    await press('Moderate');
    await page.getByText('The text is harmful.').waitFor();
    await form('Make an image').getByLabel('What it shows').fill('Sea');
    await press('Make image');
    const image = page.getByRole('img', { name: 'Sea' });
    await image.waitFor();
    const width = await page.evaluate<number>("document.querySelector('.made-image').naturalWidth");
    expect(width).toBeGreaterThan(0);
  });

  test('a viewer sees what is used, and is offered nothing to try', async () => {
    await activate();
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(ai);
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(await page.getByRole('button', { name: 'Make image' }).count()).toBe(0);
  });

  test.each(looks)('the page can be used by everybody, in %s colors, %d px wide', async (colorScheme, width) => {
    await expectUsable(asOwner, [colorScheme, width], [{ path: ai, sign: 'Make an image' }]);
  });
});
