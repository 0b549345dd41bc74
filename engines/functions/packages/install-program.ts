import { answerOnce } from '../answer-once.ts';
import { type Installed, installPackages, type PackageStore, type Wanted } from './install-packages.ts';
import { PackageError } from './lock.ts';
import { RegistryUnavailableError } from './registry.ts';

/** What came of it: the packages, what is wrong with them, or that nothing is known. */
export type Installation = Installed | { readonly refused: string } | { readonly unavailable: string };

// A process for one installation: descriptions and archives are of others' making.
answerOnce(async ({ wanted, store }: { wanted: Wanted; store: PackageStore }): Promise<Installation> => {
  try {
    return await installPackages(wanted, store);
  } catch (error) {
    if (error instanceof PackageError) return { refused: error.message };
    if (error instanceof RegistryUnavailableError) return { unavailable: error.message };
    throw error;
  }
});
