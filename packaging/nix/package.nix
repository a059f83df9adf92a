# Unchecked: nobody has built it. nix 2.8 evaluates it, with stand-ins for nixpkgs
# (2026-11-26).
#
#	nix-build -E 'with import <nixpkgs> {}; callPackage ./packaging/nix/package.nix {}'
{
  lib,
  stdenv,
  curl,
  hiredis,
  libarchive,
  libsodium,
  opencl-headers,
  openssl,
  scdoc,
  uthash,
  xxHash,
  zstd,
}:

let
  # Static, for the layer may need libc alone.
  staticSodium = libsodium.overrideAttrs (old: {
    dontDisableStatic = true;
    configureFlags = (old.configureFlags or [ ]) ++ [ "--with-pic" ];
  });
  staticZstd = zstd.override { enableStatic = true; };
in
stdenv.mkDerivation (finalAttrs: {
  pname = "oclcache";
  version = "0.1.0";

  src = lib.cleanSource ../..;

  nativeBuildInputs = [ scdoc ];
  buildInputs = [
    curl
    hiredis
    libarchive
    opencl-headers
    openssl
    staticSodium
    staticZstd
    uthash
    xxHash
  ];

  postPatch = "patchShebangs scripts";

  makeFlags = [ "PREFIX=${placeholder "out"}" ];
  buildFlags = [
    "all"
    "man"
  ];
  installTargets = [ "install-built" ];
  enableParallelBuilding = true;

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/oclcache --version | grep -qx "oclcache ${finalAttrs.version}"
  '';

  meta = {
    description = "Compiler cache for OpenCL programs";
    license = with lib.licenses; [
      mit
      bsd1
      bsd2
      bsd3
      isc
    ];
    platforms = lib.platforms.linux;
    mainProgram = "oclcache";
  };
})
