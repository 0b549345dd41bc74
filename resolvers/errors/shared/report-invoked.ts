import type { Work } from '../../../kernel/durability/unit-of-work.ts';
import { nameOccurrences, type Occurrence, recordOccurrences } from '../record-occurrences.ts';
import { type Invocations, recordInvocations } from '../report-invocations.ts';
import type { ReportedProject } from '../reported.ts';

export type { Invocations, Occurrence };

/** Failures of functions of one project, and how often they ran, as the platform counted them itself. */
export interface InvokedFunctions extends ReportedProject {
  readonly occurrences: readonly Occurrence[];
  readonly invocations: readonly Invocations[];
}

/** Names the failures before a transaction begins, and answers what records them in it. */
export async function reportInvoked({
  occurrences,
  invocations,
  ...project
}: InvokedFunctions): Promise<(work: Work) => Promise<void>> {
  const named = await nameOccurrences(occurrences);
  return async (work) => {
    await recordInvocations(work, project, invocations);
    await recordOccurrences(work, project, named);
  };
}
