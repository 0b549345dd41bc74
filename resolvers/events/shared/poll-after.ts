import type { NextAction } from '../../../core/error-codes.ts';

/** How to hear of what comes next in a project. */
export const pollAfter = (projectId: string, cursor?: string): NextAction => ({
  type: 'poll',
  method: 'GET',
  path: `/projects/v1/${projectId}/events${cursor === undefined ? '' : `?cursor=${cursor}`}`,
});
