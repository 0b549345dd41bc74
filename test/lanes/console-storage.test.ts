import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { chromiumProgram } from '../../scripts/lane-programs.ts';
import type { OpenOptions } from '../helpers/console-page.ts';
import { startConsoleWorld } from './console-owner.ts';
import { expectUsable, looks } from './console-usable.ts';

describe.skipIf(chromiumProgram() === undefined)('files of a project in the console, in Chromium', async () => {
  const world = await startConsoleWorld();
  const { service, projectId, key } = world;
  // The console lets pictures come from where the gateway says that it is opened.
  const asOwner = (more: OpenOptions = {}, role = 'owner') =>
    world.asOwner({ url: `http://localhost:${new URL(service.url).port}`, ...more }, role);
  const storage = `/projects/${projectId}/storage`;
  const folder = await mkdtemp(join(tmpdir(), 'svc-test-files-'));
  afterAll(() => rm(folder, { recursive: true }));
  const picture = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#2450c8' } })
    .png()
    .toBuffer();
  const put = async (name: string, more: object = {}) => {
    const body = { project_id: projectId, key: name, content: name, ...more };
    expect((await service.call(key, 'POST', '/storage/v1/blobs', { body })).status).toBe(200);
  };
  const keys = async () => {
    const { body } = await service.call<{ blobs: { key: string; visibility: string }[] }>(
      key,
      'GET',
      `/storage/v1/blobs?project_id=${projectId}`,
    );
    return body.blobs.map((one) => `${one.key} ${one.visibility}`);
  };
  const row = (name: string) => ({ name: new RegExp(`^${name}\\s*(?:, folder)?$`) });

  test('files and a folder are uploaded under keys of their names, shown by folder, with pictures of pictures', async () => {
    await mkdir(join(folder, 'Summer 2026'));
    await writeFile(join(folder, 'Summer 2026', 'beach.png'), picture);
    await writeFile(join(folder, 'Résumé final.txt'), 'about me');
    const { page, visit, press } = await asOwner();
    await visit(storage);
    await page.getByText('No files yet').waitFor();
    await press('Upload the first file');
    const dialog = page.getByRole('alertdialog');
    const [files, folders] = [dialog.locator('input[type=file]').first(), dialog.locator('input[type=file]').last()];
    await files.setInputFiles(join(folder, 'Résumé final.txt'));
    await folders.setInputFiles(join(folder, 'Summer 2026'));
    await dialog.getByText('Summer-2026/beach.png').waitFor();
    await dialog.getByRole('button', { name: 'Upload 2 files' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await keys()).toEqual(['Resume-final.txt public', 'Summer-2026/beach.png public']);
    await page.getByRole('link', row('Resume-final.txt')).waitFor();
    await page.getByRole('link', row('Summer-2026')).click();
    await page.getByRole('link', row('beach.png')).waitFor();
    // The picture really comes from the project's host.
    await expect
      .poll(() =>
        page
          .locator('.asset-thumbnail img')
          .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
      )
      .toBe(320);
    await page.getByRole('link', row('beach.png')).click();
    const panel = page.getByRole('dialog', { name: 'beach.png' });
    await panel.getByText('640 × 480').waitFor();
    await expect
      .poll(() => panel.locator('img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(640);
    await page.goBack();
    await panel.waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('link', row('Resume-final.txt')).waitFor();
  });

  test('what is dropped on the list is uploaded into the folder that is shown', async () => {
    await put('docs/a.txt');
    const { page, visit } = await asOwner();
    await visit(`${storage}?folder=docs/`);
    await page.getByRole('link', row('a.txt')).waitFor();
    await writeFile(join(folder, 'b.txt'), 'dropped');
    const devtools = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(folder, 'b.txt')], dragOperationsMask: 1 };
    const at = await page.getByRole('link', row('a.txt')).boundingBox();
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, x: at!.x + 5, y: at!.y + 5, data });
    const dialog = page.getByRole('alertdialog', { name: 'Upload files into docs/' });
    await dialog.getByText('docs/b.txt').waitFor();
    await dialog.getByRole('button', { name: /Who may read$/ }).click();
    await page.getByRole('option', { name: 'Only those with a signed address' }).click();
    await dialog.getByRole('button', { name: 'Upload 1 file' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', row('b.txt')).waitFor();
    expect(await keys()).toContain('docs/b.txt private');
  });

  test('a private picture is shown by a signed address, made public, and deleted', async () => {
    await put('shots/one.png', {
      content: undefined,
      content_base64: picture.toString('base64'),
      visibility: 'private',
    });
    const { page, visit, press } = await asOwner();
    await visit(`${storage}?folder=shots/&file=shots/one.png`);
    const panel = page.getByRole('dialog', { name: 'one.png' });
    await panel.getByText(/opens the file for whoever has it/).waitFor();
    await expect
      .poll(() => panel.locator('img').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(640);
    await press('Make public');
    await panel.getByRole('button', { name: 'Copy address of this version' }).waitFor();
    expect(await keys()).toContain('shots/one.png public');
    await panel.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete file' }).click();
    await page.getByText('No file fits').waitFor();
    expect(await keys()).not.toContain('shots/one.png public');
  });

  test('a file that is refused says why, and the others are published', async () => {
    await writeFile(join(folder, 'broken.png'), 'no picture');
    await writeFile(join(folder, 'fine.txt'), 'fine');
    const { page, visit } = await asOwner();
    await visit(`${storage}?dialog=upload`);
    const dialog = page.getByRole('alertdialog');
    await dialog
      .locator('input[type=file]')
      .first()
      .setInputFiles([join(folder, 'broken.png'), join(folder, 'fine.txt')]);
    await dialog.getByRole('button', { name: 'Upload 2 files' }).click();
    await dialog.getByText('IMAGE_DECODE_FAILED').waitFor();
    await dialog.getByText('1 of 2 files published, 1 refused.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', row('fine.txt')).waitFor();
  });

  test('names are found by how they begin, in folders, too, and the order is kept by links', async () => {
    for (const name of ['find/alpha.txt', 'find/beta.txt', 'find/album/x.txt']) await put(name);
    const { page, visit } = await asOwner();
    await visit(`${storage}?folder=find/`);
    await page.getByRole('link', row('beta.txt')).waitFor();
    await page.getByRole('searchbox').fill('al');
    await page.getByRole('link', row('beta.txt')).waitFor({ state: 'detached' });
    await page.getByRole('link', row('alpha.txt')).waitFor();
    await page.getByRole('button', { name: /Order$/ }).click();
    await page.getByRole('option', { name: 'Newest first' }).click();
    await page.getByRole('link', row('album')).click();
    await page.getByRole('link', row('x.txt')).waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('createdAt:desc');
  });

  test('a viewer is told who sees files, and the menu offers them none', async () => {
    const { page, visit } = await asOwner({}, 'viewer');
    await visit(storage);
    await page.getByText('You cannot see the files').waitFor();
    expect(await page.getByRole('link', { name: 'Storage' }).count()).toBe(0);
  });

  test.each(looks)(
    'files can be used by everybody: %s, %i pixels wide',
    async (...look) => {
      await put('usable/a-name-of-a-file-that-is-rather-long-for-what-it-holds-and-goes-on-for-a-while.txt');
      await put('usable/below/x.txt');
      await expectUsable(asOwner, look, [
        { path: `${storage}?folder=usable/`, sign: 'below' },
        { path: `${storage}?dialog=upload`, sign: 'Drop files or folders here' },
        { path: `${storage}?file=usable/below/x.txt`, sign: 'Of this version' },
        { path: `${storage}?file=usable/below/x.txt&dialog=delete`, sign: 'answers 404 at once' },
      ]);
    },
    120_000,
  );
});
