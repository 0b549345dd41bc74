import type { Work } from '../../../kernel/durability/unit-of-work.ts';

/** A project whose deletion begins. */
export interface DeletedProject {
  readonly orgId: string;
  readonly projectId: string;
}

type DeletionHook = (work: Work, project: DeletedProject) => Promise<void>;

const hooks: DeletionHook[] = [];

/** Has a domain above do its part of a deletion, in the transaction in which the project ceases to exist. */
export const onProjectDeletion = (hook: DeletionHook): void => void hooks.push(hook);

/** Does the parts of all domains, in the order of their registration. */
export async function runDeletionHooks(work: Work, project: DeletedProject): Promise<void> {
  for (const hook of hooks) await hook(work, project);
}
