import { type Bundled, type BundlerFault, bundleModules, type FunctionSource } from './bundle-modules.ts';

// A process for one bundle: it is given the files, answers once, and ends with whoever started it.

process.on('disconnect', () => process.exit());
process.once('message', (source: FunctionSource) => {
  const answer = (message: Bundled | BundlerFault) => process.send!(message, () => process.exit());
  void bundleModules(source).then(answer, (error: unknown) =>
    // esbuild has ended by what it was given: there is no answer.
    /service (was stopped|is no longer running)/.test(String(error))
      ? process.exit(1)
      : answer({ fault: String(error) }),
  );
});
