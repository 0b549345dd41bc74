import type { Group } from '../command.ts';
import { everyCommand } from '../every-command.ts';
import { badUsage, local } from '../failure.ts';
import { operationCommand, perform, take } from '../operation-command.ts';
import { rows } from '../operations/contracts.ts';

const signer = take('signer', { name: 'signer_id' });
const call = take('call', { name: 'call_id' });

export const group: Group = {
  name: 'contracts',
  about: [
    'svc contracts: accounts on Base that a project signs with, and what they do there. Keys never leave the gateway.',
    'A signer costs 0.04 USD a day from the prepaid balance, and a call 0.000005 USD. Gas is paid by the signer itself.',
  ],
  commands: everyCommand(rows, [
    operationCommand('contracts provision-signer', rows['contracts.provisionSigner'], {
      takes: [take('project')],
      flags: { recovery_address: 'recovery' },
      more: [{ name: 'yes', type: 'boolean', about: 'Also where the project has an active signer.' }],
      also: ['contracts.listSigners'],
      set: async ({ cli, flags }, { project }) => {
        if (flags.is('yes')) return {};
        const answer = await perform(cli, rows['contracts.listSigners'], { project });
        const known = answer.signers as readonly { readonly status: string }[];
        if (known.some(({ status }) => status === 'active'))
          throw local('CONFIRMATION_REQUIRED', 'The project has an active signer. Give --yes to make another one.', {
            field: 'yes',
          });
        return {};
      },
      examples: [
        ['On the test chain', 'contracts provision-signer --chain base-sepolia'],
        [
          'With an address for what is left',
          'contracts provision-signer --chain base-mainnet --recovery 0x52908400098527886E0F7030069857D2E4169EE7',
        ],
      ],
    }),
    operationCommand('contracts list-signers', rows['contracts.listSigners'], {
      takes: [take('project')],
      columns: ['signer_id', 'chain', 'address', 'status', 'balance_wei', 'last_rent_debited_on'],
      examples: [['What there is', 'contracts list-signers']],
      empty: 'No signers. Make one with svc contracts provision-signer.',
    }),
    operationCommand('contracts get-signer', rows['contracts.getSigner'], {
      takes: [signer],
      examples: [['With its balance as it is now', 'contracts get-signer cwlt_01jzk3']],
    }),
    operationCommand('contracts set-recovery', rows['contracts.setRecovery'], {
      takes: [signer],
      flags: { recovery_address: null },
      more: [
        { name: 'address', type: 'string', placeholder: '0x…', about: 'Where its money goes in the end.' },
        { name: 'clear', type: 'boolean', about: 'Nowhere any more.' },
      ],
      set: ({ flags }) => {
        const address = flags.text('address');
        if ((address === undefined) !== flags.is('clear'))
          throw badUsage('Give --address with an address, or --clear.', { field: 'address' });
        return { recovery_address: address ?? null };
      },
      examples: [
        [
          'Where its money goes',
          'contracts set-recovery cwlt_01jzk3 --address 0x52908400098527886E0F7030069857D2E4169EE7',
        ],
        ['Nowhere', 'contracts set-recovery cwlt_01jzk3 --clear'],
      ],
    }),
    operationCommand('contracts set-alert', rows['contracts.setLowBalanceAlert'], {
      takes: [signer],
      examples: [
        ['Below a thousandth of an ether', 'contracts set-alert cwlt_01jzk3 --threshold-wei 1000000000000000'],
      ],
    }),
    operationCommand('contracts call', rows['contracts.call'], {
      takes: [signer],
      flags: { contract_address: 'to', abi_fragment: 'abi', function_name: 'function' },
      texts: {
        abi_fragment: 'The contract’s ABI: JSON, @file or - for the standard input.',
        args: 'Its arguments in order, as a JSON list.',
      },
      examples: [
        [
          'Pay somebody a dollar',
          'contracts call cwlt_01jzk3 --chain base-sepolia --to 0x036CbD53842c5426634e7929541eC2318f3dCF7e --abi @erc20.json --function transfer --args \'["0x52908400098527886E0F7030069857D2E4169EE7", "1000000"]\'',
        ],
      ],
    }),
    operationCommand('contracts deploy', rows['contracts.deploy'], {
      takes: [signer],
      examples: [['A contract', 'contracts deploy cwlt_01jzk3 --chain base-sepolia --bytecode 0x6001…']],
    }),
    operationCommand('contracts read', rows['contracts.read'], {
      flags: { contract_address: 'to', abi_fragment: 'abi', function_name: 'function' },
      texts: {
        abi_fragment: 'The contract’s ABI: JSON, @file or - for the standard input.',
        args: 'Its arguments in order, as a JSON list.',
      },
      examples: [
        [
          'What somebody has',
          'contracts read --chain base-sepolia --to 0x036CbD53842c5426634e7929541eC2318f3dCF7e --abi @erc20.json --function balanceOf --args \'["0x52908400098527886E0F7030069857D2E4169EE7"]\'',
        ],
      ],
    }),
    operationCommand('contracts status', rows['contracts.callStatus'], {
      takes: [call],
      examples: [['What became of a call', 'contracts status ccall_01jzk3']],
    }),
    operationCommand('contracts calls', rows['contracts.listCalls'], {
      takes: [signer],
      columns: ['call_id', 'kind', 'function_name', 'status', 'tx_hash', 'created_at'],
      examples: [['The latest', 'contracts calls cwlt_01jzk3']],
      empty: 'No calls.',
    }),
    operationCommand('contracts drain', rows['contracts.drain'], {
      takes: [signer],
      flags: { destination_address: 'to', confirm: null },
      confirm: 'all that the signer holds goes to the address.',
      set: ({ positionals }) => ({ confirm: positionals.signer_id }),
      examples: [
        ['All of it', 'contracts drain cwlt_01jzk3 --to 0x52908400098527886E0F7030069857D2E4169EE7 --confirm'],
      ],
    }),
    operationCommand('contracts delete', rows['contracts.deleteSigner'], {
      takes: [signer],
      flags: { confirm: null },
      confirm: 'the key of the signer is destroyed after seven days.',
      set: ({ positionals }) => ({ confirm: positionals.signer_id }),
      examples: [['It is not needed any more', 'contracts delete cwlt_01jzk3 --confirm']],
    }),
  ]),
};
