import { domain } from '../../kernel/run/domain.ts';
import { getContents } from './get-contents.ts';
import { getOverview } from './get-overview.ts';
import { getOperatorStatus } from './get-status.ts';
import { listOperatorProjects } from './list-projects.ts';

export const operator = domain('operator', {
  operations: [getOverview, listOperatorProjects, getContents, getOperatorStatus],
});
