export type { AssetManifest } from './asset-manifest.ts';
export {
  type DeployOptions,
  type DeployOutcome,
  type DeployPlanAnswer,
  type DeployState,
  type DeployWarning,
  deploy,
  followDeploy,
} from './deploy.ts';
export { type DeployedFunction, deployFunction, type FunctionToDeploy, functionSpec } from './deploy-function.ts';
