import { afterAll, expect, test } from 'vitest';
import { bearer, createClient } from '../../clients/sdk/src/index.ts';
import { sharedService } from '../helpers/shared-service.ts';
import { faultyRoad } from './faulty-road.ts';
import { ownProject } from './sdk-stage.ts';

const service = await sharedService();
const road = await faultyRoad(service.url);
afterAll(async () => {
  road.close();
  await service.stop();
});
const { credential, project, serviceKey } = await ownProject(service);
const client = createClient({ baseUrl: road.url, credential, retry: { times: 0 } });
const runtime = createClient({ baseUrl: service.url, credential: bearer(serviceKey) });
const newIn = 'rel_second';
await runtime.errors.reportActivation({ project, releaseId: 'rel_first' });
await runtime.errors.reportActivation({ project, releaseId: newIn });

test('a release under which nothing new fails is clean when the window is over, after a last look', async () => {
  const watched = await client.watchErrors({ project, newIn, windowSeconds: 0.2, intervalSeconds: 0.08 });
  expect(watched).toMatchObject({ clean: true, newErrors: [], verdict: { newFingerprints: 0 } });
  expect(watched.polls).toBeGreaterThan(1);
  expect(watched.elapsedMs).toBeGreaterThanOrEqual(200);
  expect(watched.aborted).toBeUndefined();
});

test('what gets no answer is looked at again, but not for ever, and what is refused not at all', async () => {
  road.plan('cut', 'cut');
  const watched = await client.watchErrors({ project, newIn, windowSeconds: 0.2, intervalSeconds: 0.02 });
  expect(watched).toMatchObject({ clean: true });
  road.plan('cut', 'cut', 'cut');
  const lost = client.watchErrors({ project, newIn, windowSeconds: 60, intervalSeconds: 0.02 });
  await expect(lost).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
  const foreign = client.watchErrors({ project: 'prj_0000000000', newIn });
  await expect(foreign).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
});

test('nothing is judged by an older look when the last one got no answer', async () => {
  let looks = 0;
  const onResponse = () => ++looks === 1 && road.plan('cut');
  const watched = await client.watchErrors({ project, newIn, windowSeconds: 0, intervalSeconds: 0.02 }, { onResponse });
  expect(watched).toMatchObject({ clean: true, polls: 3 });
});

test('its signal ends it with what was seen so far', async () => {
  const ending = new AbortController();
  let looked: () => void = () => undefined;
  const first = new Promise<void>((resolve) => (looked = resolve));
  const options = { signal: ending.signal, onResponse: looked };
  const watching = client.watchErrors({ project, newIn, intervalSeconds: 60 }, options);
  await first;
  await new Promise((resolve) => setTimeout(resolve));
  ending.abort();
  expect(await watching.catch((error: unknown) => error)).toMatchObject({ clean: true, aborted: true, polls: 1 });
});

test('the first failure that is new ends it', async () => {
  const watching = client.watchErrors({ project, newIn, windowSeconds: 600, intervalSeconds: 0.05 });
  await runtime.errors.reportOccurrences({
    project,
    occurrences: [
      {
        function: 'checkout',
        kind: 'uncaught',
        sampleId: 'req_1',
        releaseId: newIn,
        name: 'TypeError',
        message: 'x is not a function',
      },
    ],
  });
  expect(await watching).toMatchObject({
    clean: false,
    verdict: { newFingerprints: 1 },
    newErrors: [{ function: 'checkout', errorName: 'TypeError' }],
  });
});
