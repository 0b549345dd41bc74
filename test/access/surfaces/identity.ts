import type { Stage, Surfaces } from './surface.ts';

export const identitySurfaces = (_stage: Stage): Surfaces => ({
  'GET /agent/v1/whoami': { cells: 'A + + + + A A A', field: () => '{ whoami { __typename } }' },
  'POST /feedback/v1': {
    cells: 'A + + F + A A A',
    body: () => ({ message: 'It works.' }),
    field: () => 'mutation { sendFeedback(input: { message: "It works." }) { orgId } }',
  },
  'POST /message/v1': {
    cells: 'A + + F + A A A',
    body: () => ({ message: 'It works.' }),
  },
  'GET /feedback/v1': { cells: '+ + + + + + + +', field: () => '{ feedbackTerms { perDay } }' },
  'PATCH /agent/v1/me': {
    cells: 'A + + F + A A A',
    body: () => ({ display_name: 'Ada' }),
    field: () => 'mutation { setDisplayName(input: { displayName: "Ada" }) { principal { displayName } } }',
  },
});
