import { domain } from '../../kernel/run/domain.ts';
import { buyPack } from './buy-pack.ts';
import { buySource } from './buy-source.ts';
import { getPackageManifest } from './get-manifest.ts';

export const products = domain('products', {
  operations: [buyPack, buySource, getPackageManifest],
});
