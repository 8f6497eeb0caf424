/**
 * What waits for the end in the place of Node.js, where the machine has it: a program for the small interpreter that most systems
 * carry. It decides nothing: where to listen and what to answer was written down for it (see `planned`).
 */
import type { DataFolder } from './data-folder.ts'
import { answersOf, type Endpoint } from './etcd-listener.ts'
import {
  FAILED_CALL,
  foreignBody,
  foreignLine,
  FOREIGN_PATHS,
  MOST_ANSWERS,
  MOST_FRAME,
  PREFACE,
  SERVER_SETTINGS,
  TLS_ALERT,
  TLS_HELLO,
} from './foreign-clients.ts'
import { dropIn } from '../vocabulary/index.ts'

/** The interpreter, and whether it is whole. */
export const INTERPRETER = 'perl'
export const INTERPRETER_IS_THERE = `${INTERPRETER} -MSocket -MFcntl -MErrno -e 1 2>/dev/null`

/** First argument of the stand-in when it is to give its plan, to a file that the script has opened. */
export const PLAN_WORD = 'plan'
export const PLAN_FILE = 3

/** The input of {@link WAITER}: a line for each address and for each answer. */
export const planned = (endpoints: readonly Endpoint[], folder: DataFolder): string =>
  [
    ...endpoints.map(({ host, port }) => `listen ${host} ${port}`),
    ...[...answersOf(folder)].map(([path, answer]) => `${path} ${JSON.stringify(answer)}`),
  ].join('\n')

/** Bytes as an expression of the program. */
const packed = (bytes: Buffer | string): string =>
  `pack('H*', '${Buffer.from(bytes as string).toString('hex')}')`

/** The program; it reads its plan from a variable, and follows a script in the same file. */
export const WAITER = `#!${INTERPRETER}
use strict;
use warnings;
use Errno qw(EADDRINUSE);
use Fcntl qw(F_SETFL O_NONBLOCK);
use Socket qw(:DEFAULT getaddrinfo);

use constant { MOST_BYTES => 16384, MOST_CLIENTS => 500, PATIENCE_S => 5 };

use constant { MOST_ANSWERS => ${MOST_ANSWERS}, MOST_FRAME => ${MOST_FRAME}, PREFACE => ${packed(PREFACE)} };

my (@listeners, %answers, %clients, %heard);
$SIG{PIPE} = 'IGNORE';
$SIG{$_} = sub { exit 0 } for qw(TERM INT HUP);

sub fail { print STDERR "${dropIn.etcd}: $_[0]\\n"; exit 1 }

sub hear {
  my ($host, $port) = @_;
  my ($error, $at) = getaddrinfo($host, $port, { socktype => SOCK_STREAM });
  fail("address $host:$port cannot be served: $error") if $error;
  my $listener;
  socket($listener, $at->{family}, $at->{socktype}, $at->{protocol})
    && setsockopt($listener, SOL_SOCKET, SO_REUSEADDR, 1)
    && bind($listener, $at->{addr})
    && listen($listener, 128)
    && fcntl($listener, F_SETFL, O_NONBLOCK)
    or fail($! == EADDRINUSE ? "address $host:$port is in use" : "address $host:$port cannot be served: $!");
  push @listeners, $listener;
}

for (split /\\n/, delete $ENV{${dropIn.planVariable}}) {
  my ($name, $rest) = split / /, $_, 2;
  if ($name eq 'listen') { hear(split / /, $rest) } else { $answers{$name} = $rest }
}

# Said once for each way of speaking.
sub foreign {
  my ($speech) = @_;
  return if $heard{$speech}++;
  my $line = '${foreignLine('SPEECH')}';
  $line =~ s/SPEECH/$speech/;
  print STDERR "${dropIn.etcd}: $line\\n";
}

sub response {
  my ($method, $path) = $_[0] =~ m{^([A-Z]+) ([^ ?]*)};
  my $found = $answers{$path // ''};
  my ($status, $type, $body) = ('200 OK', 'application/json', $found);
  if (($path // '') =~ m{${FOREIGN_PATHS}}) {
    foreign('HTTP');
    ($status, $body) = ('501 Not Implemented', '${JSON.stringify(foreignBody())}');
  }
  elsif (!defined $found) { ($status, $type, $body) = ('404 Not Found', 'text/plain', "404 page not found\\n") }
  elsif ($method ne 'GET') { ($status, $type, $body) = ('405 Method Not Allowed', 'text/plain', "Method Not Allowed\\n") }
  my $length = length $body;
  $body = '' if ($method // '') eq 'HEAD';
  return "HTTP/1.1 $status\\r\\ncontent-type: $type\\r\\ncontent-length: $length\\r\\nconnection: close\\r\\n\\r\\n$body";
}

# Frames of HTTP/2: every call fails. False: the connection is to be closed.
sub fail_calls {
  my ($client) = @_;
  while (length $client->{text} >= 9) {
    my ($high, $low, $type, $flags, $stream) = unpack 'CnCCN', $client->{text};
    my $length = $high << 16 | $low;
    return 0 if $length > MOST_FRAME;
    return 1 if length $client->{text} < 9 + $length;
    my $payload = substr $client->{text}, 9, $length;
    substr($client->{text}, 0, 9 + $length) = '';
    my $answer = '';
    if ($type == 1) {
      my $headers = ${packed(FAILED_CALL)};
      $answer = pack('CnCCN', 0, length $headers, 1, 5, $stream) . $headers;
    }
    elsif ($type == 4 && !($flags & 1)) { $answer = pack 'CnCCN', 0, 0, 4, 1, 0 }
    elsif ($type == 6 && !($flags & 1)) { $answer = pack('CnCCN', 0, length $payload, 6, 1, 0) . $payload }
    next if $answer eq '';
    return 0 if ++$client->{answers} > MOST_ANSWERS;
    syswrite $client->{socket}, $answer;
  }
  return 1;
}

# Reads a part of a request. What is answered is read on until its sender closes: else it could miss the answer.
sub attend {
  my ($client) = @_;
  my $read = sysread $client->{socket}, my $part, 4096;
  return 0 if !$read;
  return 1 if $client->{answered};
  $client->{text} .= $part;
  return fail_calls($client) if $client->{calls};
  if (ord $client->{text} == ${TLS_HELLO}) {
    foreign('TLS');
    $client->{answered} = 1;
    syswrite $client->{socket}, ${packed(TLS_ALERT)};
    return shutdown $client->{socket}, 1;
  }
  if (index($client->{text}, PREFACE) == 0) {
    foreign('gRPC');
    $client->{calls} = 1;
    substr($client->{text}, 0, length PREFACE) = '';
    syswrite $client->{socket}, ${packed(SERVER_SETTINGS)};
    return fail_calls($client);
  }
  return 1 if index(PREFACE, $client->{text}) == 0;
  return 0 if length $client->{text} > MOST_BYTES;
  return 1 if $client->{text} !~ /\\r?\\n\\r?\\n/;
  $client->{answered} = 1;
  syswrite $client->{socket}, response($client->{text});
  return shutdown $client->{socket}, 1;
}

for (;;) {
  my $wanted = '';
  vec($wanted, fileno $_->{socket}, 1) = 1 for values %clients;
  if (keys %clients < MOST_CLIENTS) { vec($wanted, fileno $_, 1) = 1 for @listeners }
  my $found = select my $ready = $wanted, undef, undef, %clients ? 1 : undef;
  $ready = '' if $found < 0;
  my $now = time;
  for my $number (keys %clients) {
    my $client = $clients{$number};
    delete $clients{$number} if $now >= $client->{until} || vec($ready, $number, 1) && !attend($client);
  }
  for my $listener (grep { vec $ready, fileno $_, 1 } @listeners) {
    accept(my $socket, $listener) or next;
    $clients{fileno $socket} = { socket => $socket, text => '', calls => 0, answers => 0, until => $now + PATIENCE_S };
  }
}
`
