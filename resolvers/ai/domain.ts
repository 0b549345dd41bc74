import { domain } from '../../kernel/run/domain.ts';
import { onProjectDeletion } from '../projects/shared/deletion-hooks.ts';
import { activateAddon, deactivateAddon, forgetAddons } from './addons.ts';
import { aiErrors } from './error-codes.ts';
import { generateImage, imageOffer } from './generate-image.ts';
import { moderateText } from './moderate-text.ts';
import { readAiUsage } from './read-usage.ts';
import { aiActions } from './shared/actions.ts';
import { releaseHolds, releaseHoldsTask } from './shared/holds.ts';
import { translateText } from './translate-text.ts';

onProjectDeletion(async (work, { projectId }) => void (await work.rows(forgetAddons.with({ projectId }))));

export const aiDomain = domain('ai', {
  errors: aiErrors,
  actions: aiActions,
  operations: [translateText, moderateText, readAiUsage, activateAddon, deactivateAddon, generateImage, imageOffer],
  jobs: [{ task: releaseHoldsTask, run: releaseHolds, everyMinutes: 1 }],
});
