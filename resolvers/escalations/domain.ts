import { domain } from '../../kernel/run/domain.ts';
import { acknowledgeByToken } from './acknowledge-by-token.ts';
import { acknowledgeEscalation } from './acknowledge-escalation.ts';
import { getEscalation } from './get-escalation.ts';
import { listEscalations } from './list-escalations.ts';
import { openEscalationFeed } from './open-escalations.ts';
import { raiseEscalation } from './raise-escalation.ts';
import { resolveEscalation } from './resolve-escalation.ts';
import { escalationActions } from './shared/actions.ts';
import { sweepTask } from './shared/page-level.ts';
import { sweepEscalations } from './sweep.ts';

export const escalations = domain('escalations', {
  actions: escalationActions,
  operations: [
    raiseEscalation,
    listEscalations,
    getEscalation,
    acknowledgeEscalation,
    resolveEscalation,
    acknowledgeByToken,
    openEscalationFeed,
  ],
  jobs: [{ task: sweepTask, run: sweepEscalations, everyMinutes: 1 }],
});
