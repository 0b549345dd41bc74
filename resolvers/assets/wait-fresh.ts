import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { onNamedOrOwnProject } from '../../kernel/access/access.ts';
import { query } from '../../kernel/run/operation.ts';
import { sha256Text } from '../content/shared/sha256-text.ts';
import { ofProject } from './asset.ts';
import { diagnose, publicUrl, vantage } from './diagnose-url.ts';
import { assetActions } from './shared/actions.ts';

/** Longest time that one request is held for, in milliseconds: proxies end what is quiet for longer. */
const heldMsMax = 25_000;
const firstPauseMs = 100;
const pauseMsMax = 1_000;

interface Freshness {
  readonly fresh: boolean;
  readonly observed: string | null;
  readonly attempts: number;
  readonly elapsedMs: number;
}

/** Tool `wait_for_cdn_freshness`. Contract 03, section 4.5. */
export const waitFresh = query({
  name: 'assets.waitFresh',
  tool: 'wait_for_cdn_freshness',
  command: 'cdn wait-fresh',
  summary: 'Wait until an address of an asset serves the bytes of a digest.',
  duration: 'long',
  access: onNamedOrOwnProject(assetActions['project:assets:read']),
  input: z.object({
    ...ofProject,
    url: publicUrl,
    sha256: sha256Text.describe('SHA-256 of the bytes that are waited for, in lower-case hexadecimal digits.'),
    timeout_ms: z.coerce
      .number()
      .int()
      .min(1_000)
      .max(600_000)
      .default(60_000)
      .describe('Longest wait in milliseconds, 1000 to 600000; one request is held for 25 seconds at most.'),
  }),
  async handler(ctx, { url, sha256, timeout_ms: timeout }): Promise<Freshness> {
    const began = performance.now();
    const deadline = began + Math.min(timeout, heldMsMax);
    for (let attempts = 1, pause = firstPauseMs; ; attempts += 1, pause = Math.min(pause * 2, pauseMsMax)) {
      const { observed } = await diagnose(ctx, url);
      const fresh = observed === sha256;
      if (fresh || performance.now() + pause > deadline || ctx.signal.aborted)
        return { fresh, observed, attempts, elapsedMs: Math.round(performance.now() - began) };
      await sleep(pause, undefined, { signal: ctx.signal }).catch(() => undefined);
    }
  },
  wire: z.object({
    fresh: z.boolean(),
    observed_sha256: z.string().nullable(),
    attempts: z.int(),
    elapsed_ms: z.int(),
    vantage: z.string(),
  }),
  toWire: ({ fresh, observed, attempts, elapsedMs }) => ({
    fresh,
    observed_sha256: observed,
    attempts,
    elapsed_ms: elapsedMs,
    vantage,
  }),
});
