import { activateAddon, deactivateAddon } from '../resolvers/ai/addons.ts';
import { generateImage } from '../resolvers/ai/generate-image.ts';
import { moderateText } from '../resolvers/ai/moderate-text.ts';
import { readAiUsage } from '../resolvers/ai/read-usage.ts';
import { translateText } from '../resolvers/ai/translate-text.ts';
import { route } from './route.ts';

const inBody = { project: ['body project_id', 'body project'] } as const;
const inQuery = { project: ['query project_id', 'query project'] } as const;
const byKey = { keyDecides: true } as const;

/** Paths of models. Contract 04, section 3.2. */
export const aiRoutes = [
  route('POST', '/ai/v1/moderate', 200, moderateText, inBody, byKey),
  route('POST', '/ai/v1/translate', 200, translateText, inBody, byKey),
  route('GET', '/ai/v1/usage', 200, readAiUsage, inQuery, byKey),
  route('POST', '/ai/v1/addons', 200, activateAddon, inBody),
  route('DELETE', '/ai/v1/addons', 200, deactivateAddon, {
    project: [...inBody.project, ...inQuery.project],
    addon: ['body addon', 'query addon'],
  }),
  route('POST', '/generate-image/v1', 200, generateImage, inBody, byKey),
];
