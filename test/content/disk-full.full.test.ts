import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { readdir, rm, rmdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deploying, refOf, siteOf } from '../deploys/deploying.ts';
import { type Service, startService } from '../helpers/service.ts';
import { asking } from '../hosting/site.ts';
import { keyHolder, send, sha256Of, uploading } from './upload.ts';

const mebibyte = 1024 * 1024;

/** A small disk, in memory. Only root may mount one, and not everywhere. @returns undefined where it cannot be had */
function mountDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${32 * mebibyte}`, 'svc-test', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    void rmdir(folder);
    return undefined;
  }
}

const disk = mountDisk();
let service: Service;

afterAll(async () => {
  if (disk === undefined) return;
  await service?.stop();
  execFileSync('umount', ['--lazy', disk]);
  await rmdir(disk);
});

const freeBytes = async () => {
  const { bavail, bsize } = await statfs(disk!);
  return bavail * bsize;
};

/** Leaves so many bytes on the disk. @returns what frees the rest again */
async function fill(left: number): Promise<() => Promise<void>> {
  const ballast = join(disk!, 'ballast');
  await writeFile(ballast, Buffer.alloc((await freeBytes()) - left));
  return () => rm(ballast);
}

const stagedFiles = async () =>
  (await readdir(join(disk!, 'staging'), { recursive: true, withFileTypes: true })).filter((one) => one.isFile());

// The skip needs root in a container that may mount, as continuous integration has it.
describe.skipIf(disk === undefined)('a disk that is full', () => {
  beforeAll(async () => {
    service = await startService({ env: { SVC_DATA_DIR: disk! } });
  });

  const some = (size: number) => {
    const bytes = randomBytes(size);
    return { bytes, content: [{ sha256: sha256Of(bytes), size }] };
  };

  test('refuses an upload in its middle as one that may be repeated, keeps nothing of it, and takes smaller ones', async () => {
    const home = await service.project();
    const mine = uploading(service, keyHolder(home.serviceKey));
    const large = some(12 * mebibyte);
    const planned = await mine.plan(large.content);
    const { url } = planned.body.missing[0].parts[0];
    const free = await fill(6 * mebibyte);
    const before = await freeBytes();
    const refused = await send(url, large.bytes);
    expect(refused).toMatchObject({
      status: 503,
      body: { code: 'STORAGE_UNAVAILABLE', retryable: true, safe_to_retry: true, mutation_state: 'none' },
    });
    expect(await stagedFiles()).toEqual([]);
    expect(before - (await freeBytes())).toBeLessThan(mebibyte / 4);
    expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({
      code: 'INVALID_STATE',
      details: { missing: [large.content[0]!.sha256] },
    });
    // Whatever fits goes on, while the disk has no room for the other.
    const small = some(mebibyte);
    const other = await mine.plan(small.content);
    expect((await send(other.body.missing[0].parts[0].url, small.bytes)).status).toBe(200);
    expect((await mine.commit(other.body.plan_id)).body).toMatchObject({ committed: true });
    await free();
    expect((await send(url, large.bytes)).status).toBe(200);
    expect((await mine.commit(planned.body.plan_id)).body).toMatchObject({ committed: true });
    expect((await mine.plan(large.content)).body.missing).toEqual([]);
  });

  test('serves the releases that it holds, and takes a deploy once there is room', async () => {
    const home = await service.project();
    const mine = deploying(service, home.wallet, home);
    const first = await mine.deploySite({ 'index.html': 'first' });
    const ask = asking(service, new URL(first.urls.site).hostname);
    const free = await fill(0);
    const text = 'second'.repeat(10_000);
    const planned = await uploading(service, keyHolder(home.serviceKey)).plan([refOf(text)]);
    expect(await send(planned.body.missing[0].parts[0].url, Buffer.from(text))).toMatchObject({
      status: 503,
      body: { code: 'STORAGE_UNAVAILABLE' },
    });
    expect((await ask('/')).text).toBe('first');
    await free();
    expect(await mine.deploy(siteOf({ 'index.html': text }), [text])).toMatchObject({ status: 'ready' });
    expect((await ask('/')).text === text).toBe(true);
    expect(await stagedFiles()).toEqual([]);
  });
});
