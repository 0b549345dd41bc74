import { ServiceError } from '../../core/errors.ts';
import type { Caller } from './caller.ts';

/** Whether a credential is for other projects alone. */
export const isForOthers = (caller: Caller, projectId: string): boolean =>
  caller.kind === 'project_key'
    ? caller.projectId !== projectId
    : caller.kind === 'delegate' && !caller.projectIds.includes(projectId);

/** Whether a caller has nothing to do with the project, so that it is not told of its parts either. */
export const isForeign = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'NOT_AUTHORIZED' && error.details.reason === 'project_not_found';
