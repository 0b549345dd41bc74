import { answerOnce } from './answer-once.ts';
import { bundleModules } from './bundle-modules.ts';

// A process for one bundle.
answerOnce(bundleModules);
