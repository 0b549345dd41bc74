import { z } from 'zod';

/** What decides whether a release is kept or taken back. Contract 02, section 4.2. */
export interface Verdict {
  readonly since: Date;
  readonly until: Date;
  /** The release that was asked about. */
  readonly comparedReleaseId: string | null;
  /** What was active before it. */
  readonly baselineReleaseId: string | null;
  readonly newFingerprints: number;
  readonly recurringFingerprints: number;
  readonly invocationsInWindow: number;
  readonly fullFidelityFunctions: number;
  readonly coarseFunctions: number;
  readonly rowCap: { readonly limit: number; readonly atCap: boolean };
}

export const VerdictWire = z.object({
  window: z.object({ since: z.iso.datetime(), until: z.iso.datetime() }),
  compared_release_id: z.string().nullable(),
  baseline_release_id: z.string().nullable(),
  new_fingerprints: z.number(),
  recurring_fingerprints: z.number(),
  invocations_in_window: z.number(),
  coverage: z.object({ full_fidelity_functions: z.number(), coarse_functions: z.number() }),
  row_cap: z.object({ limit: z.number(), at_cap: z.boolean() }),
});

export const verdictToWire = (verdict: Verdict): z.infer<typeof VerdictWire> => ({
  window: { since: verdict.since.toISOString(), until: verdict.until.toISOString() },
  compared_release_id: verdict.comparedReleaseId,
  baseline_release_id: verdict.baselineReleaseId,
  new_fingerprints: verdict.newFingerprints,
  recurring_fingerprints: verdict.recurringFingerprints,
  invocations_in_window: verdict.invocationsInWindow,
  coverage: {
    full_fidelity_functions: verdict.fullFidelityFunctions,
    coarse_functions: verdict.coarseFunctions,
  },
  row_cap: { limit: verdict.rowCap.limit, at_cap: verdict.rowCap.atCap },
});
