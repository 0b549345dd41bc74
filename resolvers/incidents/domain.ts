import { domain } from '../../kernel/run/domain.ts';
import { declareIncident } from './declare-incident.ts';
import { resolveIncident } from './resolve-incident.ts';

export const incidents = domain('incidents', {
  operations: [declareIncident, resolveIncident],
});
