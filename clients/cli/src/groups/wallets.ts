import type { Command, Group } from '../command.ts';
import { local } from '../failure.ts';
import { changeBinding } from '../files/bindings.ts';
import { walletFile } from '../files/paths.ts';
import {
  checkedName,
  findWallet,
  keepWallet,
  newWallet,
  removeWallet,
  renameWallet,
  shownWallet,
  useWallet,
  walletName,
  walletNames,
  walletNotFound,
} from '../files/wallets.ts';
import { readText } from '../input.ts';

const name = { name: 'name', about: 'Small letters, digits, - and _, at most 64.' };
const personal = { name: 'local', type: 'boolean' as const, about: 'In `.svc.local.json`, which is yours alone.' };

const list: Command = {
  words: 'wallets list',
  summary: 'Wallets on this machine, and which of them is in use.',
  examples: [['Which are there?', 'wallets list']],
  async run({ cli }) {
    const [names, used] = await Promise.all([walletNames(cli), walletName(cli)]);
    const wallets = await Promise.all(
      names.map(async (one) => ({ ...shownWallet((await findWallet(cli, one))!), in_use: one === used })),
    );
    return { wallets };
  },
};

const current: Command = {
  words: 'wallets current',
  summary: 'The wallet in use here.',
  examples: [['Who signs?', 'wallets current']],
  async run({ cli }) {
    const used = await walletName(cli);
    return { name: used, address: (await findWallet(cli, used))?.address ?? null };
  },
};

const create: Command = {
  words: 'wallets new',
  summary: 'Make a wallet with a fresh key.',
  about: [
    'The key is put into a file that only you can read. It is shown by no command: keep a copy of the file if you need one.',
  ],
  positionals: [name],
  flags: [{ name: 'use', type: 'boolean', about: 'Use it from now on.' }],
  examples: [['For a client of yours', 'wallets new acme --use']],
  async run({ cli, positionals, flags }) {
    const wallet = await newWallet(cli, checkedName(positionals.name!));
    if (flags.is('use')) await useWallet(cli, wallet.name);
    return { ...shownWallet(wallet), file: walletFile(cli, wallet.name), in_use: flags.is('use') };
  },
};

const importKey: Command = {
  words: 'wallets import',
  summary: 'Keep a wallet whose key you have.',
  about: ['The key comes from a file or from standard input, never from the command line, where others could see it.'],
  positionals: [name],
  flags: [
    {
      name: 'key',
      type: 'string',
      required: true,
      placeholder: 'file',
      about: 'File that holds the key, or - for standard input.',
    },
  ],
  examples: [
    ['From a file', 'wallets import acme --key ./acme.key'],
    ['From standard input', 'wallets import acme --key - < acme.key'],
  ],
  async run({ cli, positionals, flags }) {
    const given = flags.text('key')!;
    if (/^(0x)?[0-9a-fA-F]{64}$/.test(given))
      throw local(
        'BAD_PRIVATE_KEY',
        '--key names a file, not the key itself: others can see what stands on a command line.',
        {
          hint: 'Use --key - and standard input.',
        },
      );
    const text = (await readText(cli, given)).trim();
    const key = text.startsWith('0x') ? text : `0x${text}`;
    return shownWallet(await keepWallet(cli, checkedName(positionals.name!), key));
  },
};

const use: Command = {
  words: 'wallets use',
  summary: 'Use a wallet from now on.',
  positionals: [name],
  examples: [['The one of a client', 'wallets use acme']],
  async run({ cli, positionals }) {
    const wallet = await findWallet(cli, checkedName(positionals.name!));
    if (wallet === undefined) throw walletNotFound(positionals.name!);
    await useWallet(cli, wallet.name);
    return shownWallet(wallet);
  },
};

const rename: Command = {
  words: 'wallets rename',
  summary: 'Give a wallet another name on this machine.',
  positionals: [name],
  flags: [{ name: 'to', type: 'string', required: true, placeholder: 'name', about: 'The new name.' }],
  examples: [['Another name', 'wallets rename acme --to acme-old']],
  async run({ cli, positionals, flags }) {
    await renameWallet(cli, positionals.name!, flags.text('to')!);
    return { name: flags.text('to'), renamed: true };
  },
};

const bind: Command = {
  words: 'wallets bind',
  summary: 'Have this checkout use a wallet, by its binding file.',
  positionals: [{ ...name, optional: true, about: 'A wallet’s name; the one in use unless told.' }],
  flags: [personal],
  examples: [['This checkout is a client’s', 'wallets bind acme --local']],
  async run({ cli, positionals, flags }) {
    const wallet = checkedName(positionals.name ?? (await walletName(cli)));
    const { file, binding } = await changeBinding(cli, { wallet }, { personal: flags.is('local') });
    return { file, ...binding };
  },
};

const unbind: Command = {
  words: 'wallets unbind',
  summary: 'Take the wallet out of this checkout’s binding file.',
  flags: [personal],
  examples: [['Unbind', 'wallets unbind']],
  async run({ cli, flags }) {
    const { file, binding } = await changeBinding(cli, { wallet: null }, { personal: flags.is('local') });
    return { file, ...binding };
  },
};

const remove: Command = {
  words: 'wallets rm',
  summary: 'Delete a wallet from this machine, with its key.',
  about: ['What the wallet owns is lost with the key, unless there is a copy of it.'],
  positionals: [name],
  flags: [{ name: 'yes', type: 'boolean', about: 'Do it.' }],
  examples: [['For good', 'wallets rm acme --yes']],
  async run({ cli, positionals, flags }) {
    if (!flags.is('yes'))
      throw local('CONFIRMATION_REQUIRED', 'The wallet’s key is deleted for good. Give --yes to do it.', {
        field: 'yes',
      });
    await removeWallet(cli, positionals.name!);
    return { name: positionals.name, removed: true };
  },
};

export const group: Group = {
  name: 'wallets',
  about: [
    'svc wallets: a wallet is how you sign in. One named default comes with `svc init`; others are for clients, machines or agents. The one in use is that of --wallet, else SVC_WALLET, the binding file, `wallets use`, and default.',
  ],
  commands: [list, current, create, importKey, use, rename, bind, unbind, remove],
};
