import { z } from 'zod';
import { shellWord } from '../../core/shell-word.ts';
import type { ErrorFingerprint, OccurrenceSample } from '../../db/schema/errors.ts';
import { occurrenceKinds } from '../../engines/fingerprints/fingerprint.ts';

const SampleWire = z
  .object({ id: z.string(), at: z.iso.datetime(), release_id: z.string().nullable() })
  .meta({ id: 'ErrorSample' });

/** Contract 02, section 4.1. */
export const ErrorFingerprintWire = z.object({
  fingerprint_id: z.string(),
  function: z.string(),
  kind: z.enum(occurrenceKinds),
  fingerprint_quality: z.enum(['frame_names', 'message_only', 'coarse']),
  error_name: z.string(),
  message_template: z.string(),
  stable_frames: z.array(z.string()),
  count: z.number(),
  first_seen: z.iso.datetime(),
  last_seen: z.iso.datetime(),
  first_seen_release_id: z.string().nullable(),
  last_seen_release_id: z.string().nullable(),
  samples: z.object({ first: SampleWire, recent: z.array(SampleWire) }),
  next_actions: z.array(z.object({ type: z.string(), command: z.string(), why: z.string() })),
});

/** Where the logs of some samples are. */
export const logActions = (row: Pick<ErrorFingerprint, 'function'>, samples: readonly OccurrenceSample[]) =>
  samples.map(({ id, at }) => ({
    type: 'fetch_logs',
    command: `svc logs ${shellWord(row.function)} --request-id ${id}`,
    why: `See what led to the occurrence of ${at}.`,
  }));

/** Every sample of a row once, newest first. */
export function samplesOf({ firstSample, recentSamples }: ErrorFingerprint): readonly OccurrenceSample[] {
  const known = recentSamples.some(({ id, at }) => id === firstSample.id && at === firstSample.at);
  return known ? recentSamples : [...recentSamples, firstSample];
}

/** @param samples those whose logs are pointed at: the newest alone, in a list */
export const fingerprintToWire = (
  row: ErrorFingerprint,
  samples: readonly OccurrenceSample[] = row.recentSamples.slice(0, 1),
): z.infer<typeof ErrorFingerprintWire> => ({
  fingerprint_id: row.fingerprintId,
  function: row.function,
  kind: row.kind,
  fingerprint_quality: row.quality,
  error_name: row.errorName,
  message_template: row.messageTemplate,
  stable_frames: [...row.stableFrames],
  count: Number(row.count),
  first_seen: row.firstSeen.toISOString(),
  last_seen: row.lastSeen.toISOString(),
  first_seen_release_id: row.firstSeenReleaseId,
  last_seen_release_id: row.lastSeenReleaseId,
  samples: { first: row.firstSample, recent: [...row.recentSamples] },
  next_actions: logActions(row, samples),
});
