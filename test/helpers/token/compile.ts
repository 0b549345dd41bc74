/**
 * Compiles Contracts.sol into contracts.json, which is committed, so that tests need no compiler:
 *
 *     npm install --no-save --ignore-scripts solc@0.8.37 && node test/helpers/token/compile.ts
 */
import { readFile, writeFile } from 'node:fs/promises';

interface Output {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { evm: { deployedBytecode: { object: string } } }>>>
  >;
}

// A name that is not written as one: nothing else of the project needs the compiler to be there.
const compiler = 'solc';
const { default: solc } = (await import(compiler)) as { default: { compile: (input: string) => string } };

const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: { 'Contracts.sol': { content: await readFile(new URL('Contracts.sol', import.meta.url), 'utf8') } },
      settings: {
        optimizer: { enabled: true, runs: 200 },
        evmVersion: 'cancun',
        metadata: { bytecodeHash: 'none' },
        outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
      },
    }),
  ),
) as Output;

for (const { formattedMessage } of output.errors ?? []) process.stderr.write(`${formattedMessage}\n`);

const code = Object.fromEntries(
  Object.entries(output.contracts['Contracts.sol']!)
    .map(([name, { evm }]) => [name, `0x${evm.deployedBytecode.object}`] as const)
    .filter(([name]) => name !== 'Signatures'),
);
await writeFile(new URL('contracts.json', import.meta.url), `${JSON.stringify(code, null, 2)}\n`);
