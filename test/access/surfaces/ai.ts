import type { Stage, Surfaces } from './surface.ts';

/** The stage has no model: whoever may ask one is told so. */
export const aiSurfaces = ({ params }: Stage): Surfaces => {
  const project = () => `project: "${params.project_id}"`;
  const inBody = (more: object) => () => ({ project_id: params.project_id, ...more });
  const asks = 'A I I F N I A F';
  const admin = 'A P P F P P P +';
  const addon = inBody({ addon: 'translation' });
  return {
    'POST /ai/v1/translate': {
      cells: asks,
      body: inBody({ text: 'a', to: 'es' }),
      field: () => `mutation { translateText(input: { ${project()}, text: "a", to: "es" }) { text } }`,
    },
    'POST /ai/v1/moderate': {
      cells: 'A I I I N I A F',
      body: inBody({ text: 'a' }),
      field: () => `{ moderateText(${project()}, text: "a") { flagged } }`,
    },
    'GET /ai/v1/usage': {
      cells: 'A + + + + + A F',
      search: () => `?project_id=${params.project_id}`,
      field: () => `{ project(id: "${params.project_id}") { aiUsage { translation { active } } } }`,
    },
    'POST /ai/v1/addons': {
      cells: admin,
      body: addon,
      field: () => `mutation { activateAiAddon(input: { ${project()}, addon: TRANSLATION }) { changed } }`,
    },
    'DELETE /ai/v1/addons': {
      cells: admin,
      body: addon,
      field: () => `mutation { deactivateAiAddon(input: { ${project()}, addon: TRANSLATION }) { changed } }`,
    },
    'POST /generate-image/v1': {
      cells: asks,
      body: inBody({ prompt: 'a' }),
      field: () => `mutation { generateImage(input: { ${project()}, prompt: "a" }) { contentType } }`,
    },
    'GET /generate-image/v1': { cells: '+ + + + + + + +', field: () => '{ imageOffer { available } }' },
  };
};
